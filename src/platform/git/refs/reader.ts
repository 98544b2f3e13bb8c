import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Repository } from '../repository.ts';
import type { PackedRefs } from './packed-refs.ts';

// A ref's file holds an id and a line feed; a symbolic one is left to git.
const bytes = Buffer.alloc(64);
const ID = /^[0-9a-f]{40}\n$/;

/**
 * What a ref points to now, from the repository's own files: each change by any process is seen, since nothing is kept
 * of a loose ref, and the packed ones only as long as their file is the same. The loose one is read first, as git does: a
 * ref that is being packed is then seen at least once.
 *
 * Read without waiting: four system calls take 6 µs, a question to git through its pipe ten times that.
 *
 * The name must have passed `isRefName`. Null when there is no such ref; undefined when git is to be asked.
 */
export function readRefFile(packed: PackedRefs, repo: Repository, name: string): string | null | undefined {
  // Nothing else in a repository is a ref, whatever it looks like.
  if (!name.startsWith('refs/')) return undefined;
  const loose = readLooseRef(`${repo.path}/${name}`);
  if (loose !== null) return loose;
  const found = packed.find(repo, name);
  // Where there is no repository at all, git says so.
  return found === null && !existsSync(`${repo.path}/HEAD`) ? undefined : found;
}

function readLooseRef(path: string): string | null | undefined {
  // Packed refs have no file, and an error costs more than this look.
  if (!existsSync(path)) return null;
  try {
    const file = openSync(path, 'r');
    try {
      const text = bytes.toString('latin1', 0, readSync(file, bytes));
      return ID.test(text) ? text.slice(0, 40) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // A folder, or packed this very moment: git knows what to make of it.
    return undefined;
  }
}
