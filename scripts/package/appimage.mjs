// An AppImage: one file that starts. A small launcher (launcher.c), compiled here and linked statically, and behind it a
// compressed file system with the app. The sandbox stays on: where a system lets it not start, AppRun says so and what to do.
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { fileNames, program, runtimeFolder } from './about.mjs';
import { copyTree, layShared, must, settle } from './tree.mjs';

/** @typedef {import('./about.mjs').About} About */

const libraries = ['squashfuse_ll', 'squashfuse', 'fuse3', 'z', 'zstd', 'pthread'];

/** Not as root, for whom Chromium's sandbox does not start in any case, and not where the person gave it up. */
const appRun = `#!/bin/sh
here=\${APPDIR:-$(dirname "$(readlink -f "$0")")}
case " $* " in *' --no-sandbox '*) asked=no ;; *) asked=yes ;; esac
if [ "$asked" = yes ] && [ "$(id -u)" != 0 ] && command -v unshare > /dev/null && ! unshare -Ur true 2> /dev/null; then
  words='This system does not let an AppImage start the sandbox that keeps pages apart from your files. Install the deb or rpm package instead: it brings what is needed for it.'
  echo "Verisim: $words" >&2
  if command -v zenity > /dev/null; then zenity --error --no-markup --title=Verisim --text="$words"
  elif command -v kdialog > /dev/null; then kdialog --title Verisim --error "$words"
  fi
  exit 1
fi
exec "$here/${program}" "$@"
`;

/**
 * @param {string} target
 * @param {About} about
 */
function compileLauncher(target, about) {
  const source = fileURLToPath(new URL('launcher.c', import.meta.url));
  const flags = ['-O2', '-static', '-s', '-Wl,--build-id=none', '-I/usr/include/squashfuse', '-ffile-prefix-map=/=.'];
  must('gcc', [...flags, '-o', target, source, ...libraries.map((name) => `-l${name}`)], about);
  // By these bytes other programs know an AppImage.
  const bytes = readFileSync(target);
  bytes.write('AI\x02', 8, 'latin1');
  writeFileSync(target, bytes);
}

/**
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string} the AppImage
 */
export function makeAppImage(root, unpacked, work, output, about) {
  const top = join(work, 'appimage');
  rmSync(top, { recursive: true, force: true });
  const folder = join(top, 'AppDir');
  copyTree(unpacked, folder);
  layShared(root, join(folder, 'usr'), about, 'AppRun');
  writeFileSync(join(folder, 'AppRun'), appRun);
  chmodSync(join(folder, 'AppRun'), 0o755);
  // Where those look who integrate AppImages into the menus.
  symlinkSync(`usr/share/applications/${program}.desktop`, join(folder, `${program}.desktop`));
  symlinkSync(`usr/share/icons/hicolor/256x256/apps/${program}.png`, join(folder, `${program}.png`));
  symlinkSync(`${program}.png`, join(folder, '.DirIcon'));
  settle(folder, about.time);
  mkdirSync(output, { recursive: true });
  const file = join(output, fileNames(about).AppImage);
  rmSync(file, { force: true });
  compileLauncher(file, about);
  const image = join(top, 'image');
  const packing = ['-comp', 'zstd', '-Xcompression-level', String(about.level), '-b', '256K'];
  const quiet = ['-noappend', '-no-progress', '-quiet', '-no-xattrs', '-all-root'];
  // The runtime's bytes first: the same ones at the same place in the next version, whose update then does not fetch them again.
  const order = join(top, 'order');
  writeFileSync(order, `${join(folder, runtimeFolder)} 32767\n`);
  must('mksquashfs', [folder, image, ...packing, ...quiet, '-sort', order], about);
  appendFileSync(file, readFileSync(image));
  chmodSync(file, 0o755);
  rmSync(top, { recursive: true });
  return file;
}
