import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a directory durable: a file that was renamed into it can otherwise vanish in a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Makes directories below a root that survive a power cut. */
export interface Directories {
  /** Makes the directory and those above it, and syncs each entry. */
  make(path: string): Promise<void>;
  /** Forgets a directory that turned out to be gone. */
  forget(path: string): void;
}

const maxRemembered = 10_000;

/** Makes the root; remembers which directories it has synced, so that a second file in one costs no walk up. */
export async function openDirectories(root: string): Promise<Directories> {
  const durable = new Set<string>();
  const first = await mkdir(root, { recursive: true, mode: 0o700 });
  if (first) for (let at = root; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
  return {
    async make(path) {
      if (durable.has(path)) return;
      await mkdir(path, { recursive: true, mode: 0o700 });
      // Also when the directory was there: its maker may not have come to the sync yet.
      for (let at = path; at !== root; at = dirname(at)) await syncDirectory(dirname(at));
      if (durable.size >= maxRemembered) durable.clear();
      durable.add(path);
    },
    forget(path) {
      durable.delete(path);
    },
  };
}
