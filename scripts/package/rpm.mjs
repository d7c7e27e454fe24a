// A package for Fedora, openSUSE and their relatives, made by rpmbuild out of the same tree as the deb.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterInstall, afterRemove, fileNames, installed, program } from './about.mjs';
import { layTree, must } from './tree.mjs';

/** @typedef {import('./about.mjs').About} About */

/** @param {About} about */
const spec = ({ version, summary, level, maintainer, homepage }) => `
# What lies in /opt is the app's own: nothing of it is searched for what it provides, stripped or compressed again.
%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
%define _binary_payload w${String(level)}T2.zstdio
%define _buildhost verisim
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1

Name: ${program}
Version: ${version}
Release: 1
Summary: ${summary}
License: Apache-2.0
Vendor: ${maintainer}
URL: ${homepage}
BuildArch: x86_64
AutoReqProv: no
Requires: gtk3, nss, alsa-lib, at-spi2-core, cups-libs, libdrm, mesa-libgbm, libxkbcommon, xdg-utils

%description
Verisim trains a small GPT on texts of your own, then improves it in cycles against a reward model that it trains itself.
Everything that it needs is in this package: no Python, no compiler and no network.

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
 * @param {string} root the checkout
 * @param {string} unpacked electron-builder's folder
 * @param {string} work a folder to work in
 * @param {string} output the folder of the packages
 * @param {About} about
 * @returns {string} the package
 */
export function makeRpm(root, unpacked, work, output, about) {
  const top = join(work, 'rpm');
  rmSync(top, { recursive: true, force: true });
  const tree = join(top, 'BUILDROOT');
  mkdirSync(top, { recursive: true });
  layTree(root, unpacked, tree, about);
  const specFile = join(top, `${program}.spec`);
  writeFileSync(specFile, spec(about));
  must(
    'rpmbuild',
    [
      '-bb',
      '--quiet',
      '--noclean',
      '--target',
      'x86_64-linux',
      `--define=_topdir ${top}`,
      '--buildroot',
      tree,
      specFile,
    ],
    about,
  );
  const folder = join(top, 'RPMS/x86_64');
  const name = readdirSync(folder).find((entry) => entry.endsWith('.rpm'));
  if (!name) throw new Error('rpmbuild made no package');
  const file = join(output, fileNames(about).rpm);
  renameSync(join(folder, name), file);
  rmSync(top, { recursive: true });
  return file;
}
