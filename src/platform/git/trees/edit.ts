import { Pace } from '../../concurrency.ts';
import type { Objects } from '../objects/objects.ts';
import type { ObjectWriter } from '../objects/writer.ts';
import { GitError } from '../process/errors.ts';
import { entryType, formatTree, type TreeEntry } from './tree.ts';

/** Reason why an edit is rejected. */
export type TreeEditProblem = 'exists' | 'missing' | 'parent-is-a-file' | 'is-a-directory';

/** Thrown for an edit that does not fit the tree. */
export class TreeEditError extends Error {
  override readonly name = 'TreeEditError';
  readonly problem: TreeEditProblem;
  readonly path: string;

  constructor(problem: TreeEditProblem, path: string) {
    super(`${path}: ${problem}`);
    this.problem = problem;
    this.path = path;
  }
}

/** A loaded folder; `tree` is its id as long as nothing below it has changed. */
interface Folder {
  readonly children: Map<string, Child>;
  tree: string | null;
}

interface Child {
  readonly entry: TreeEntry;
  /** Set once the folder is loaded; it then takes precedence over the entry's id. */
  folder?: Folder;
}

interface Location {
  /** The folders from the root down to the one that contains the name. */
  readonly folders: readonly Folder[];
  readonly holder: Folder;
  readonly key: string;
  readonly child: Child | undefined;
}

/** The entry at a path. */
export type PathEntry = Pick<TreeEntry, 'mode' | 'oid'>;

/**
 * Edits a tree path by path, reading only the folders on the way and writing only the changed ones. Each edit sees the
 * previous ones. Paths must have passed `pathProblem`.
 */
export class TreeEditor {
  readonly #objects: Objects;
  readonly #root: Folder;

  private constructor(objects: Objects, root: Folder) {
    this.#objects = objects;
    this.#root = root;
  }

  /** Opens a tree; null starts with an empty one. */
  static async open(objects: Objects, tree: string | null): Promise<TreeEditor> {
    return new TreeEditor(objects, tree === null ? newFolder() : await loadFolder(objects, tree));
  }

  /** Returns the current file, link or submodule at a path; null when there is none. */
  async file(path: string): Promise<PathEntry | null> {
    const place = await this.#find(path);
    return place?.child && entryType(place.child.entry) !== 'tree' ? place.child.entry : null;
  }

  /** Adds a file at a free path, creating folders as needed. */
  async create(path: string, entry: PathEntry): Promise<void> {
    const segments = path.split('/');
    const name = segments.pop() ?? '';
    const folders = [this.#root];
    for (const segment of segments) folders.push(await this.#enter(folders.at(-1) ?? this.#root, segment, path));
    const holder = folders.at(-1) ?? this.#root;
    const child = holder.children.get(keyIn(holder, name));
    if (child) throw new TreeEditError(entryType(child.entry) === 'tree' ? 'is-a-directory' : 'exists', path);
    holder.children.set(name, { entry: { mode: entry.mode, name, oid: entry.oid } });
    touch(folders);
  }

  /** Replaces the existing file, link or submodule at a path. */
  async replace(path: string, { mode, oid }: PathEntry): Promise<void> {
    const { folders, holder, key, child } = await this.#existing(path);
    holder.children.set(key, { entry: { ...child.entry, mode, oid } });
    touch(folders);
  }

  /** Removes the file, link or submodule at a path, and the folders that become empty. */
  async remove(path: string): Promise<PathEntry> {
    const { folders, holder, key, child } = await this.#existing(path);
    holder.children.delete(key);
    touch(folders);
    prune(folders, path.split('/'));
    return child.entry;
  }

  /** Adds the changed trees to a write and returns the id of the root. */
  write(writer: ObjectWriter): Promise<string> {
    return writeFolder(this.#root, writer, new Pace());
  }

  async #existing(path: string): Promise<Location & { readonly child: Child }> {
    const place = await this.#find(path);
    if (!place?.child) throw new TreeEditError('missing', path);
    if (entryType(place.child.entry) === 'tree') throw new TreeEditError('is-a-directory', path);
    return { ...place, child: place.child };
  }

  async #find(path: string): Promise<Location | null> {
    const segments = path.split('/');
    const name = segments.pop() ?? '';
    const folders = [this.#root];
    let holder = this.#root;
    for (const segment of segments) {
      const child = holder.children.get(keyIn(holder, segment));
      if (!child || entryType(child.entry) !== 'tree') return null;
      holder = await this.#load(child);
      folders.push(holder);
    }
    const key = keyIn(holder, name);
    return { folders, holder, key, child: holder.children.get(key) };
  }

  async #enter(holder: Folder, name: string, path: string): Promise<Folder> {
    const child = holder.children.get(keyIn(holder, name));
    if (!child) {
      const folder = newFolder();
      holder.children.set(name, { entry: { mode: '040000', name, oid: '' }, folder });
      return folder;
    }
    if (entryType(child.entry) !== 'tree') throw new TreeEditError('parent-is-a-file', path);
    return this.#load(child);
  }

  async #load(child: Child): Promise<Folder> {
    child.folder ??= await loadFolder(this.#objects, child.entry.oid);
    return child.folder;
  }
}

function newFolder(): Folder {
  return { children: new Map(), tree: null };
}

async function loadFolder(objects: Objects, oid: string): Promise<Folder> {
  const tree = await objects.tree(oid);
  if (!tree) throw new GitError(`tree ${oid} is missing`, {});
  return { children: new Map(tree.entries.map((entry) => [entryKey(entry), { entry }])), tree: oid };
}

// Two names can decode to the same text, one from UTF-8 and one from Latin-1; they must stay distinct.
function entryKey(entry: TreeEntry): string {
  return entry.bytes ? `\0${entry.name}` : entry.name;
}

function keyIn(folder: Folder, name: string): string {
  return !folder.children.has(name) && folder.children.has(`\0${name}`) ? `\0${name}` : name;
}

function touch(folders: readonly Folder[]): void {
  for (const folder of folders) folder.tree = null;
}

// git keeps no empty folders.
function prune(folders: readonly Folder[], segments: readonly string[]): void {
  for (let depth = folders.length - 1; depth > 0 && folders[depth]?.children.size === 0; depth--) {
    const [parent, name] = [folders[depth - 1], segments[depth - 1]];
    if (parent && name !== undefined) parent.children.delete(keyIn(parent, name));
  }
}

async function writeFolder(folder: Folder, writer: ObjectWriter, pace: Pace): Promise<string> {
  if (folder.tree !== null) return folder.tree;
  await pace.turn();
  const entries: TreeEntry[] = [];
  for (const { entry, folder: below } of folder.children.values()) {
    entries.push(below ? { ...entry, oid: await writeFolder(below, writer, pace) } : entry);
  }
  folder.tree = await writer.add('tree', formatTree(entries));
  return folder.tree;
}
