// The list of parts of a package, for machines: CycloneDX 1.6. npm's packages as they are shipped, Electron with Chromium and
// Node, TensorFlow with what its own notices name, the sample, and every library that lies beside the app, with its hash.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sample, sampleModel, tensorflow } from '../../main/installation/pinned.mjs';

/**
 * What TensorFlow's notices name: each part under a rule, after two signs.
 * @param {string} notices
 * @returns {string[]}
 */
export const namedIn = (notices) => [
  ...new Set([...notices.matchAll(/^== (.+)$/gm)].map(([, name]) => (name ?? '').trim())),
];

/**
 * The hashes that npm checks packages by, out of its lock file.
 * @param {string} root the checkout
 * @returns {(name: string, version: string) => { alg: string, content: string }[]} none for one that is not in it
 */
function readHashes(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  /** @type {Map<string, string>} */
  const hashes = new Map();
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const hash = /^sha512-(.+)$/.exec(integrity ?? '')?.[1];
    if (hash) hashes.set(`${name}@${version}`, Buffer.from(hash, 'base64').toString('hex'));
  }
  return (name, version) => {
    const content = hashes.get(`${name}@${version}`);
    return content ? [{ alg: 'SHA-512', content }] : [];
  };
}

/** @param {string} licence an identifier of SPDX, or an expression of them */
const licenceOf = (licence) =>
  licence === '' ? [] : /[ (]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }];

/**
 * What is carried besides npm's packages.
 * @param {string} electron its version
 * @param {string} notices TensorFlow's file of notices
 */
function carriedParts(electron, notices) {
  const inTensorflow = existsSync(notices) ? namedIn(readFileSync(notices, 'utf8')) : [];
  const wheel = tensorflow.cpu.wheels[0];
  return [
    {
      type: 'framework',
      'bom-ref': 'electron',
      name: 'electron',
      version: electron,
      purl: `pkg:npm/electron@${electron}`,
      licenses: licenceOf('MIT'),
      description: 'With Chromium and Node.js; their licences are in LICENSES.chromium.html.',
    },
    {
      type: 'library',
      'bom-ref': 'tensorflow',
      name: 'tensorflow',
      version: tensorflow.cpu.version,
      purl: `pkg:pypi/${wheel?.name ?? 'tensorflow'}@${tensorflow.cpu.version}`,
      licenses: licenceOf('Apache-2.0'),
      hashes: wheel ? [{ alg: 'SHA-256', content: wheel.sha256 }] : [],
      components: inTensorflow.map((name) => ({ type: 'library', 'bom-ref': `tensorflow:${name}`, name })),
    },
    {
      type: 'data',
      'bom-ref': 'sample',
      name: sample.name,
      version: sample.version,
      purl: `pkg:npm/${sample.name.replace('@', '%40')}@${sample.version}`,
      licenses: licenceOf('PDDL-1.0'),
      hashes: [{ alg: 'SHA-256', content: sample.sha256 }],
    },
    {
      type: 'machine-learning-model',
      'bom-ref': 'sample-model',
      name: sampleModel.title,
      version: sampleModel.version,
      purl: `pkg:pypi/${sampleModel.name}@${sampleModel.version}`,
      licenses: licenceOf('Apache-2.0'),
      hashes: [{ alg: 'SHA-256', content: sampleModel.file.sha256 }],
    },
  ];
}

/**
 * @param {object} what
 * @param {string} what.root the checkout
 * @param {import('./about.mjs').About} what.about
 * @param {readonly import('../setup/licences.mjs').Licence[]} what.parts npm's packages
 * @param {string} what.electron its version
 * @param {import('./integrity.mjs').FileList} what.files beside the archive
 * @param {string} what.notices TensorFlow's file of notices
 * @returns {string} JSON, the same for the same parts
 */
export function sbomOf({ root, about, parts, electron, files, notices }) {
  const hashesOf = readHashes(root);
  const npm = parts.map(({ name, version, licence }) => ({
    type: 'library',
    'bom-ref': `npm:${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: licenceOf(licence),
    hashes: hashesOf(name, version),
  }));
  const carried = carriedParts(electron, notices);
  const libraries = Object.entries(files)
    .filter(([name]) => /\.(so(\.\d+)*|dll|dylib|node)$/.test(name))
    .map(([name, { sha256 }]) => ({
      type: 'file',
      'bom-ref': `file:${name}`,
      name,
      hashes: [{ alg: 'SHA-256', content: sha256 }],
    }));
  const components = [...carried, ...npm, ...libraries];
  const app = {
    type: 'application',
    'bom-ref': 'verisim',
    name: 'verisim',
    version: about.version,
    licenses: licenceOf('Apache-2.0'),
  };
  const serial = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const uuid = [
    serial.slice(0, 8),
    serial.slice(8, 12),
    `5${serial.slice(13, 16)}`,
    `8${serial.slice(17, 20)}`,
    serial.slice(20, 32),
  ];
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      serialNumber: `urn:uuid:${uuid.join('-')}`,
      metadata: { timestamp: new Date(about.time * 1000).toISOString(), component: app },
      components,
      dependencies: [{ ref: 'verisim', dependsOn: [...carried, ...npm].map((part) => part['bom-ref']) }],
    },
    null,
    1,
  )}\n`;
}
