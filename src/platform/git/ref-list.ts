import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import type { Objects } from './objects.ts';
import { isRefName } from './refname.ts';
import type { Repository } from './repository.ts';

/** A ref and the object it points to. */
export interface Ref {
  /** Full name. */
  readonly name: string;
  readonly oid: string;
}

interface PackedRefs {
  readonly stamp: string;
  readonly refs: readonly Ref[];
}

const LINE = /^([0-9a-f]{40}) (\S.*)$/;
const CACHED_FILES = 64;
// From here on one `git for-each-ref` is quicker than as many look-ups.
const MANY_LOOSE = 100;

/**
 * Refs listed from the repository's files and its reader: no process is started. Loose ones first, packed ones after, as git does: a ref
 * that is being packed is then seen at least once.
 */
export class RefFiles {
  readonly #packed = new Map<string, PackedRefs>();

  /** All refs under a prefix such as `refs/heads/`, in the byte order of their names. */
  async list(objects: Objects, prefix: string): Promise<Ref[]> {
    const loose = await looseNames(objects.repo, prefix.replace(/\/+$/, ''));
    if (loose.length > MANY_LOOSE) return spawnedList(objects.repo, prefix);
    const packed = await this.#packedRefs(objects.repo);
    const found = new Map<string, string>();
    for (const ref of packed) if (ref.name.startsWith(prefix)) found.set(ref.name, ref.oid);
    // The reader looks a loose ref up in 10 µs; opening its file from here takes six times as long.
    const infos = await Promise.all(loose.map((name) => objects.info(name)));
    for (const [i, name] of loose.entries()) {
      const info = infos[i];
      if (info?.status === 'found') found.set(name, info.oid);
      else found.delete(name);
    }
    return Array.from(found, ([name, oid]) => ({ name, oid })).sort(byName);
  }

  /** Forgets what was read of a repository. */
  forget(repo: Repository): void {
    this.#packed.delete(repo.path);
  }

  async #packedRefs(repo: Repository): Promise<readonly Ref[]> {
    const path = join(repo.path, 'packed-refs');
    const stamp = await fileStamp(path);
    if (stamp === null) return [];
    const cached = this.#packed.get(repo.path);
    if (cached?.stamp === stamp) return cached.refs;
    const refs = parsePackedRefs(await readFile(path, 'utf8'));
    // Read under the name it had before: only then does the stamp belong to these refs.
    if ((await fileStamp(path)) === stamp) this.#remember(repo.path, { stamp, refs });
    return refs;
  }

  #remember(path: string, packed: PackedRefs): void {
    this.#packed.delete(path);
    this.#packed.set(path, packed);
    const [oldest] = this.#packed.keys();
    if (oldest !== undefined && this.#packed.size > CACHED_FILES) this.#packed.delete(oldest);
  }
}

/** Reads lines of `id name`, as in a packed-refs file; `#` and `^` lines say nothing about names. */
export function parsePackedRefs(text: string): Ref[] {
  const refs: Ref[] = [];
  for (const line of text.split('\n')) {
    const found = LINE.exec(line);
    // A name that is not UTF-8 could not be asked for again: pushes of such names are refused.
    if (found?.[1] && found[2] && !found[2].includes('\ufffd')) refs.push({ oid: found[1], name: found[2] });
  }
  return refs;
}

async function spawnedList(repo: Repository, prefix: string): Promise<Ref[]> {
  const flags = ['--format=%(objectname) %(refname)'];
  const { stdout } = await run(repo, { name: 'for-each-ref', flags, args: [prefix] });
  return parsePackedRefs(stdout.toString('utf8')).sort(byName);
}

async function looseNames(repo: Repository, folder: string): Promise<string[]> {
  const entries = await readdir(join(repo.path, folder), { withFileTypes: true, recursive: true }).catch(noneIfAbsent);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repo.path.length + 1))
    .filter(isRefName);
}

// git replaces packed-refs as a whole by rename, so a change always shows in one of these.
async function fileStamp(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(noneIfAbsent);
  return Array.isArray(found) ? null : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}

function byName(a: Ref, b: Ref): number {
  if (a.name === b.name) return 0;
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}
