// Packages for Fedora, openSUSE and their relatives, made by rpmbuild out of the same trees as the debs.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  afterInstall,
  afterRemove,
  fileNames,
  installed,
  program,
  runtimeFolder,
  runtimeNames,
  runtimePackage,
  runtimeSummary,
} from './about.mjs';
import { readRuntime } from './runtime.mjs';
import { layRuntime, layTree, must } from './tree.mjs';

/** @typedef {import('./about.mjs').About} About */

/**
 * What both specifications begin with.
 * @param {{ version: string, name: string, summary: string, about: About }} of
 */
const head = ({ version, name, summary, about: { level, maintainer, homepage } }) => `
# What lies in /opt is the app's own: nothing of it is searched for what it provides, stripped or compressed again.
%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
%define _binary_payload w${String(level)}T2.zstdio
%define _buildhost verisim
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1

Name: ${name}
Version: ${version}
Release: 1
Summary: ${summary}
License: Apache-2.0
Vendor: ${maintainer}
URL: ${homepage}
BuildArch: x86_64
AutoReqProv: no
`;

/**
 * @param {About} about
 * @param {string} runtime its version
 */
const appSpec = (about, runtime) => `${head({ ...about, name: program, about })}
Requires: ${runtimePackage} = ${runtime}
Requires: gtk3, nss, alsa-lib, at-spi2-core, cups-libs, libdrm, mesa-libgbm, libxkbcommon, xdg-utils

%description
Verisim trains a small GPT on texts of your own, then improves it in cycles against a reward model that it trains itself.
Everything that it needs is in this package and its runtime's: no Python, no compiler and no network.

%post
${afterInstall}
%postun
if [ "$1" = 0 ]; then
${afterRemove}fi

%files
%defattr(-, root, root, -)
%attr(4755, root, root) ${installed}/chrome-sandbox
${installed}
/usr/bin/${program}
/usr/share/applications/${program}.desktop
/usr/share/mime/packages/${program}.xml
/usr/share/icons/hicolor/*/apps/${program}.*
/usr/share/doc/${program}
`;

/**
 * @param {About} about
 * @param {string} version the runtime's
 */
const runtimeSpec = (about, version) => `${head({ version, name: runtimePackage, summary: runtimeSummary, about })}
%description
TensorFlow and the sample, apart from the app: an update of the app does not bring them again.

%files
%defattr(-, root, root, -)
%dir ${installed}
%dir ${installed}/resources
${installed}/${runtimeFolder}
/usr/share/doc/${runtimePackage}
`;

/**
 * @param {string} top a folder to work in
 * @param {string} spec
 * @param {string} file what it becomes
 * @param {number} time
 */
function build(top, spec, file, time) {
  const specFile = join(top, 'package.spec');
  writeFileSync(specFile, spec);
  const places = [`--define=_topdir ${top}`, '--buildroot', join(top, 'BUILDROOT')];
  must('rpmbuild', ['-bb', '--quiet', '--noclean', '--target', 'x86_64-linux', ...places, specFile], { time });
  const folder = join(top, 'RPMS/x86_64');
  const name = readdirSync(folder).find((entry) => entry.endsWith('.rpm'));
  if (!name) throw new Error('rpmbuild made no package');
  renameSync(join(folder, name), file);
}

/**
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string[]} the packages: the app's and its runtime's
 */
export function makeRpm(root, unpacked, work, output, about) {
  const top = join(work, 'rpm');
  const runtime = readRuntime(unpacked);
  const [app, carried] = [join(output, fileNames(about).rpm), join(output, runtimeNames(runtime.version).rpm)];
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  layTree(root, unpacked, join(top, 'BUILDROOT'), about, 'rpm');
  build(top, appSpec(about, runtime.version), app, about.time);
  layRuntime(root, unpacked, join(top, 'BUILDROOT'), runtime.time);
  build(top, runtimeSpec(about, runtime.version), carried, runtime.time);
  rmSync(top, { recursive: true });
  return [app, carried];
}
