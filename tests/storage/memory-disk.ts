/**
 * A disk in memory that can lose its power. It keeps every change in order; what a power cut leaves is any selection of
 * the changes that no sync had covered, applied in order: POSIX promises no more, and file systems use that. Files and
 * folders are inodes, so that a rename may be on the disk although the name it renames never was.
 */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import type { FileOperations } from '../../main/storage/disk/file-operations.js';
import { ownStart } from '../../main/installation/process-identity.mjs';

type Inode =
  | { readonly kind: 'file'; bytes: Uint8Array }
  | { readonly kind: 'folder'; readonly entries: Map<string, number> };

type Change =
  | { readonly did: 'link'; readonly folder: number; readonly name: string; readonly inode: number }
  | { readonly did: 'unlink'; readonly folder: number; readonly name: string }
  | {
      readonly did: 'rename';
      readonly from: number;
      readonly oldName: string;
      readonly to: number;
      readonly newName: string;
      readonly inode: number;
    }
  | { readonly did: 'write'; readonly inode: number; readonly position: number; readonly bytes: Uint8Array }
  | { readonly did: 'truncate'; readonly inode: number; readonly length: number }
  | { readonly did: 'sync'; readonly inode: number };

/** What becomes of a change that was not synced. Half of a write may reach the disk, of all else nothing or everything. */
export type Fate = 'kept' | 'lost' | 'half';

const root = 0;

export class MemoryDisk {
  private readonly inodes = new Map<number, Inode>([[root, { kind: 'folder', entries: new Map() }]]);
  private readonly kinds = new Map<number, Inode['kind']>([[root, 'folder']]);
  private readonly handles = new Map<number, { readonly inode: number; position: number; readonly append: boolean }>();
  private changes: Change[] = [];
  private base: ReadonlyMap<number, Inode> | null = null;
  private nextInode = 1;
  private nextHandle = 1;

  /** From now on changes are kept; everything so far is on the disk for good. */
  begin(): void {
    this.base = copyOf(this.inodes);
    this.changes = [];
  }

  get changeCount(): number {
    return this.changes.length;
  }

  /** How many of the first `count` changes are not certain to be there after a power cut. */
  unsynced(count: number): number {
    return this.durability(count).filter((durable) => !durable).length;
  }

  /** The disk after the power went when `count` changes had been made. @param fate of the n-th one that was not synced */
  afterPowerCut(count: number, fate: (unsynced: number) => Fate): MemoryDisk {
    const disk = new MemoryDisk();
    disk.inodes.clear();
    for (const [id, inode] of copyOf(this.base ?? new Map<number, Inode>())) disk.inodes.set(id, inode);
    for (const [id, kind] of this.kinds) disk.kinds.set(id, kind);
    disk.nextInode = this.nextInode;
    let uncertain = 0;
    this.durability(count).forEach((durable, at) => {
      const change = this.changes[at];
      const what = durable ? 'kept' : fate(uncertain++);
      if (change && what !== 'lost') disk.apply(change, what === 'half');
    });
    disk.endProcesses();
    return disk;
  }

  /** No process outlives the power: locks that this one holds are another one's from now on, which is gone. */
  endProcesses(): void {
    for (const inode of this.inodes.values()) {
      if (inode.kind !== 'file') continue;
      const text = Buffer.from(inode.bytes).toString('latin1');
      const mine = `"start": "${ownStart}"`;
      if (text.includes(mine)) inode.bytes = Buffer.from(text.replace(mine, '"start": "gone"'), 'latin1');
    }
  }

  private durability(count: number): boolean[] {
    const synced = (inode: number, after: number) =>
      this.changes.slice(after + 1, count).some((change) => change.did === 'sync' && change.inode === inode);
    return this.changes.slice(0, count).map((change, at) => {
      switch (change.did) {
        case 'sync':
          return true;
        case 'write':
        case 'truncate':
          return synced(change.inode, at);
        case 'link':
        case 'unlink':
          return synced(change.folder, at);
        case 'rename':
          return synced(change.to, at) && synced(change.from, at);
      }
    });
  }

  private apply(change: Change, half = false): void {
    switch (change.did) {
      case 'link':
        this.entries(change.folder).set(change.name, change.inode);
        break;
      case 'unlink':
        this.entries(change.folder).delete(change.name);
        break;
      case 'rename':
        if (this.entries(change.from).get(change.oldName) === change.inode) {
          this.entries(change.from).delete(change.oldName);
        }
        this.entries(change.to).set(change.newName, change.inode);
        break;
      case 'write': {
        const bytes = half ? change.bytes.subarray(0, change.bytes.length >> 1) : change.bytes;
        const file = this.file(change.inode);
        const whole = new Uint8Array(Math.max(file.bytes.length, change.position + bytes.length));
        whole.set(file.bytes);
        whole.set(bytes, change.position);
        file.bytes = whole;
        break;
      }
      case 'truncate': {
        const file = this.file(change.inode);
        const whole = new Uint8Array(change.length);
        whole.set(file.bytes.subarray(0, change.length));
        file.bytes = whole;
        break;
      }
      case 'sync':
    }
  }

  private do(change: Change): void {
    if (this.base !== null) this.changes.push(change);
    this.apply(change);
  }

  private inode(id: number): Inode {
    const found = this.inodes.get(id);
    if (found) return found;
    const made: Inode =
      this.kinds.get(id) === 'folder'
        ? { kind: 'folder', entries: new Map() }
        : { kind: 'file', bytes: new Uint8Array() };
    this.inodes.set(id, made);
    return made;
  }

  private file(id: number): { bytes: Uint8Array } {
    const inode = this.inode(id);
    if (inode.kind !== 'file') throw systemError('EISDIR');
    return inode;
  }

  private entries(id: number): Map<string, number> {
    const inode = this.inode(id);
    if (inode.kind !== 'folder') throw systemError('ENOTDIR');
    return inode.entries;
  }

  private find(name: string): number | null {
    let id = root;
    for (const part of partsOf(name)) {
      const inode = this.inode(id);
      const next = inode.kind === 'folder' ? inode.entries.get(part) : undefined;
      if (next === undefined) return null;
      id = next;
    }
    return id;
  }

  private need(name: string): number {
    const id = this.find(name);
    if (id === null) throw systemError('ENOENT');
    return id;
  }

  private make(kind: Inode['kind'], name: string): number {
    const folder = this.need(path.dirname(name));
    this.entries(folder);
    const inode = this.nextInode++;
    this.kinds.set(inode, kind);
    this.do({ did: 'link', folder, name: path.basename(name), inode });
    return inode;
  }

  private handle(id: number): { readonly inode: number; position: number; readonly append: boolean } {
    const found = this.handles.get(id);
    if (!found) throw systemError('EBADF');
    return found;
  }

  /** Every file with its text. */
  contents(folder = '/', id = this.find(folder) ?? root, prefix = ''): Record<string, string> {
    const found: Record<string, string> = {};
    for (const [name, inner] of this.entries(id)) {
      const inode = this.inode(inner);
      if (inode.kind === 'folder') Object.assign(found, this.contents(folder, inner, `${prefix}${name}/`));
      else found[`${prefix}${name}`] = Buffer.from(inode.bytes).toString('latin1');
    }
    return found;
  }

  /** All that is there, folders without a file too: two disks of one state look the same to every reader. */
  state(): string {
    const found = createHash('sha1');
    const add = (id: number): void => {
      const inode = this.inode(id);
      if (inode.kind === 'file') return void found.update(`${inode.bytes.length} `).update(inode.bytes);
      for (const [name, inner] of [...inode.entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
        found.update(`${this.inode(inner).kind} ${name}/`);
        add(inner);
      }
      found.update('end');
    };
    add(root);
    return found.digest('hex');
  }

  readonly ops: FileOperations = {
    open: (name, flags) => {
      const there = this.find(name);
      if (there === null && (flags === 'r' || flags === 'r+')) throw systemError('ENOENT');
      if (there !== null && flags === 'wx') throw systemError('EEXIST');
      const inode = there ?? this.make('file', name);
      this.file(inode);
      this.handles.set(this.nextHandle, { inode, position: 0, append: flags === 'a' });
      return this.nextHandle++;
    },
    read: (handle, into, position) => {
      const bytes = this.file(this.handle(handle).inode).bytes.subarray(position, position + into.byteLength);
      into.set(bytes);
      return bytes.byteLength;
    },
    write: (id, bytes) => {
      const handle = this.handle(id);
      const position = handle.append ? this.file(handle.inode).bytes.length : handle.position;
      this.do({ did: 'write', inode: handle.inode, position, bytes: bytes.slice() });
      handle.position = position + bytes.length;
      return bytes.byteLength;
    },
    size: (handle) => this.file(this.handle(handle).inode).bytes.length,
    identity: (handle) => {
      const { inode } = this.handle(handle);
      return [inode, this.changes.filter((change) => 'inode' in change && change.inode === inode).length].join();
    },
    truncate: (handle, length) => this.do({ did: 'truncate', inode: this.handle(handle).inode, length }),
    sync: (handle) => this.do({ did: 'sync', inode: this.handle(handle).inode }),
    close: (handle) => {
      this.handle(handle);
      this.handles.delete(handle);
    },
    syncFolder: (name) => this.do({ did: 'sync', inode: this.need(name) }),
    copy: (from, to) => {
      const { bytes } = this.file(this.need(from));
      if (this.find(to) !== null) throw systemError('EEXIST');
      this.do({ did: 'write', inode: this.make('file', to), position: 0, bytes });
    },
    rename: (from, to) => {
      const inode = this.need(from);
      const there = this.find(to);
      if (there !== null && this.inode(there).kind === 'folder' && this.entries(there).size > 0) {
        throw systemError('ENOTEMPTY');
      }
      const [oldFolder, newFolder] = [this.need(path.dirname(from)), this.need(path.dirname(to))];
      const [oldName, newName] = [path.basename(from), path.basename(to)];
      this.do({ did: 'rename', from: oldFolder, oldName, to: newFolder, newName, inode });
    },
    makeFolder: (name) => {
      const there = this.find(name);
      if (there !== null) return void this.entries(there);
      if (this.find(path.dirname(name)) === null) this.ops.makeFolder(path.dirname(name));
      this.make('folder', name);
    },
    list: (name) => [...this.entries(this.need(name)).keys()].sort(),
    kind: (name) => {
      const id = this.find(name);
      return id === null ? 'none' : this.inode(id).kind;
    },
    remove: (name) => {
      const id = this.find(name);
      if (id === null) return;
      // Entry by entry, as the system's own removal is.
      if (this.inode(id).kind === 'folder') {
        for (const inner of this.ops.list(name)) this.ops.remove(path.join(name, inner));
      }
      this.do({ did: 'unlink', folder: this.need(path.dirname(name)), name: path.basename(name) });
    },
  };
}

const parts = new Map<string, readonly string[]>();

/** Kept, as the same few hundred names are looked up some million times. */
function partsOf(name: string): readonly string[] {
  const known = parts.get(name);
  if (known) return known;
  const found = path
    .resolve('/', name)
    .split(path.sep)
    .filter((part) => part !== '');
  parts.set(name, found);
  return found;
}

function copyOf(inodes: ReadonlyMap<number, Inode>): Map<number, Inode> {
  const copy = (inode: Inode): Inode =>
    inode.kind === 'folder'
      ? { kind: 'folder', entries: new Map(inode.entries) }
      : { kind: 'file', bytes: inode.bytes.slice() };
  return new Map([...inodes].map(([id, inode]) => [id, copy(inode)]));
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: on the disk in memory`), { code, syscall: 'memory' });
}
