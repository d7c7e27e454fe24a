/** Hands files to the user: those that the page made itself, and those that the server wrote. */

/** Downloads a file that the page made itself. */
export function download(name: string, content: string | Blob, type = 'text/csv;charset=utf-8'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const address = URL.createObjectURL(blob);
  follow(address, name);
  // A started download holds the data by itself.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Lets the browser fetch a file that the server wrote, under the server's name for it (main/server). */
export function fetchSaved(handle: string): void {
  // The app's own window, and a demonstration in it, have no server.
  if (!('verisim' in window)) follow(`/download/${handle}`, '');
}

function follow(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

/** Downloads a canvas's picture on a background, which the canvas itself lacks. */
export function downloadPicture(name: string, canvas: HTMLCanvasElement, background: string): void {
  const whole = document.createElement('canvas');
  whole.width = canvas.width;
  whole.height = canvas.height;
  const context = whole.getContext('2d');
  if (!context) return;
  context.fillStyle = background;
  context.fillRect(0, 0, whole.width, whole.height);
  context.drawImage(canvas, 0, 0);
  whole.toBlob((blob) => blob && download(name, blob));
}
