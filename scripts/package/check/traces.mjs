// What lies in a clean root before and after: nothing of the app may stay in the system, and of the person's only what is the
// person's.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Laid down anew at every start of a system. */
const passing = /^\/(run|dev|proc|sys|\.before)(\/|$)/;

/** What package managers write down for themselves, and what menus and file types are looked up in. */
const noted =
  /^\/(root\/\.rpmdb|var\/(log|cache)|var\/lib\/(dpkg|rpm))(\/|$)|\.(cache|pyc)$|mimeinfo|^\/usr\/share\/mime(\/|$)/;

/** Projects, and where the words at removal say that settings are (about.mjs). */
const ofPerson = /^\/home\/person\/(projects|\.local\/share\/verisim|\.cache\/verisim)(\/|$)/;

/** Not of the app: libraries that every program with a window loads keep these, and the screen that is not there its own. */
const ofOthers =
  /^\/home\/person\/(\.pki(\/nssdb)?|\.cache\/(fontconfig|mesa_shader_cache)|\.config\/dconf|\.dbus)(\/|$)|^\/tmp\/(\.X11-unix|\.X7-lock|server-7\.xkm$|\.font-unix|\.ICE-unix|person$|person\/dconf)/;

/**
 * @param {string} root
 * @param {string} [folder]
 * @returns {string[]} every file, link and folder, as it is called from inside
 */
export const everyPath = (root, folder = '/') =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (passing.test(path)) return [];
    return lstatSync(join(root, path)).isDirectory() ? [path, ...everyPath(root, path)] : [path];
  });

/**
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {string[]} what the app left; a folder that only leads to what may stay is none
 */
export function leftBehind(before, after) {
  const known = new Set(before);
  const may = (/** @type {string} */ path) => [noted, ofPerson, ofOthers].some((kind) => kind.test(path));
  const fresh = after.filter((path) => !known.has(path));
  const stays = fresh.filter(may);
  return fresh.filter((path) => !may(path) && !stays.some((inner) => inner.startsWith(`${path}/`)));
}
