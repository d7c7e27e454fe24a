#!/bin/sh
# Runs after deb (remove) and rpm (0) delete the files, not after an upgrade: undoes after-install.sh.
set -e
case "$1" in remove | 0) ;; *) exit 0 ;; esac
rm -f /usr/share/mime/packages/verisim.xml
if command -v update-mime-database > /dev/null; then update-mime-database /usr/share/mime || true; fi
if command -v update-desktop-database > /dev/null; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache > /dev/null; then gtk-update-icon-cache -q -t /usr/share/icons/hicolor || true; fi
if [ -e /etc/apparmor.d/verisim ]; then
  if [ -d /sys/kernel/security/apparmor ]; then apparmor_parser --remove /etc/apparmor.d/verisim || true; fi
  rm -f /etc/apparmor.d/verisim
fi
echo 'Verisim is removed. Your projects stay in the folder Verisim of your documents, or where you put them.'
echo 'Settings are in ~/.local/share/verisim and can be deleted, like ~/.cache/verisim.'
