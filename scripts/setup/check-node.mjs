// Stops with a plain line when Node is too old. Entry scripts import this first and everything else dynamically, so that
// the line appears even where the newer syntax of the other files could not be parsed.
const oldest = 20;
if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(
    'Verisim needs Node ' + oldest + ' or newer; this is Node ' + process.versions.node + '. To fix it: nvm install 20',
  );
  process.exit(1);
}
