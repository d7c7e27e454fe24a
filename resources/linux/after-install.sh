#!/bin/sh
# Runs after deb (configure) and rpm install the files: registers the file type, menu entry and icons, and the AppArmor profile
# where this AppArmor knows its rule.
set -e
own=/usr/lib/verisim/resources/linux
mkdir -p /usr/share/mime/packages
cp $own/mime.xml /usr/share/mime/packages/verisim.xml
if command -v update-mime-database > /dev/null; then update-mime-database /usr/share/mime || true; fi
if command -v update-desktop-database > /dev/null; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache > /dev/null; then gtk-update-icon-cache -q -t /usr/share/icons/hicolor || true; fi
if [ -d /etc/apparmor.d ] && command -v apparmor_parser > /dev/null &&
  apparmor_parser --skip-kernel-load --skip-cache $own/apparmor-profile > /dev/null 2>&1; then
  cp $own/apparmor-profile /etc/apparmor.d/verisim
  if [ -d /sys/kernel/security/apparmor ]; then apparmor_parser --replace /etc/apparmor.d/verisim || true; fi
fi
