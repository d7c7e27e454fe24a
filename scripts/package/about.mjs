// What every kind of Linux package says of the app: one place for names, menu entry, file type and the words at removal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} About
 * @property {string} version
 * @property {string} summary one line
 * @property {string} maintainer who stands for it, with an address
 * @property {string} homepage
 * @property {number} time seconds since 1970: of the commit that is packaged, so that two builds of it are the same
 * @property {number} level of compression, 1 to 19
 */

/** @typedef {'AppImage' | 'deb' | 'rpm' | 'tar.gz'} Kind of package */

/** The program's name on the PATH, of its icon and of its files; where it is installed. */
export const program = 'verisim';
export const installed = '/opt/Verisim';
/** In the app's folder: what computes, and the sample. A package of its own where packages need each other (runtime.mjs). */
export const runtimeFolder = 'resources/runtime';
export const runtimePackage = `${program}-runtime`;
export const runtimeSummary = 'What Verisim computes with';
export const mimeType = 'application/x-verisim-project';

/** Sizes of the icon, in resources/icons. */
export const iconSizes = [16, 24, 32, 48, 64, 128, 256, 512];

/**
 * @param {string} root the checkout
 * @param {number} time
 * @param {number} [level]
 * @returns {About}
 */
export function aboutOf(root, time, level = 15) {
  const { version, author, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const maintainer = `${author.name} <${author.email}>`;
  return { version, time, level, maintainer, homepage, summary: 'Trains a small GPT on your own text' };
}

/**
 * What the packages are called.
 * @param {Pick<About, 'version'>} about
 * @returns {Readonly<Record<Kind, string>>}
 */
export const fileNames = ({ version }) => ({
  AppImage: `Verisim-${version}-linux-x64.AppImage`,
  deb: `${program}_${version}_amd64.deb`,
  rpm: `${program}-${version}.x86_64.rpm`,
  'tar.gz': `Verisim-${version}-linux-x64.tar.gz`,
});

/**
 * What the packages of the runtime are called.
 * @param {string} version the runtime's
 * @returns {{ readonly deb: string, readonly rpm: string }}
 */
export const runtimeNames = (version) => ({
  deb: `${runtimePackage}_${version}_amd64.deb`,
  rpm: `${runtimePackage}-${version}.x86_64.rpm`,
});

/**
 * The menu entry. The class of the window is the name that Electron gives it, by which the taskbar finds the icon.
 * @param {About} about
 * @param {string} command
 */
export const desktopEntry = ({ version, summary }, command) => `[Desktop Entry]
Type=Application
Name=Verisim
GenericName=Language model trainer
Comment=${summary}
Exec=${command} %F
Icon=${program}
Terminal=false
Categories=Science;ArtificialIntelligence;
Keywords=GPT;language model;training;machine learning;
MimeType=${mimeType};
StartupNotify=true
StartupWMClass=Verisim
X-Verisim-Version=${version}
`;

export const mimeFile = `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="${mimeType}">
    <comment>Verisim project</comment>
    <icon name="${program}"/>
    <sub-class-of type="application/x-tar"/>
    <glob pattern="*.verisim" weight="60"/>
    <glob pattern="*.verisim.tar" weight="60"/>
  </mime-type>
</mime-info>
`;

/** Ubuntu 24.04 and newer let a program make user namespaces, which Chromium's sandbox is made of, only with a profile. */
export const apparmorProfile = `abi <abi/4.0>,
include <tunables/global>

profile ${program} ${installed}/${program} flags=(unconfined) {
  userns,
  include if exists <local/${program}>
}
`;

/** After installing: what other programs know about menus, file types and icons is made anew where they are there. */
const refresh = `
refresh() {
  if command -v update-mime-database > /dev/null; then update-mime-database /usr/share/mime || true; fi
  if command -v update-desktop-database > /dev/null; then update-desktop-database -q /usr/share/applications || true; fi
  if command -v gtk-update-icon-cache > /dev/null; then gtk-update-icon-cache -q -t /usr/share/icons/hicolor || true; fi
}`;

/** Only where this system's AppArmor knows the rule; older ones have no need of it. */
export const afterInstall = `${refresh}
refresh
profile=${installed}/resources/apparmor-profile
if [ -d /etc/apparmor.d ] && command -v apparmor_parser > /dev/null &&
  apparmor_parser --skip-kernel-load --skip-cache "$profile" > /dev/null 2>&1; then
  cp "$profile" /etc/apparmor.d/${program}
  if [ -d /sys/kernel/security/apparmor ]; then apparmor_parser --replace /etc/apparmor.d/${program} || true; fi
fi
`;

export const afterRemove = `${refresh}
refresh
if [ -e /etc/apparmor.d/${program} ]; then
  if [ -d /sys/kernel/security/apparmor ]; then apparmor_parser --remove /etc/apparmor.d/${program} || true; fi
  rm -f /etc/apparmor.d/${program}
fi
echo 'Verisim is removed. Projects stay where they are: in the folder Verisim of your documents, or where you put them.'
echo 'Settings are in ~/.local/share/verisim and may be deleted, like ~/.cache/verisim.'
`;
