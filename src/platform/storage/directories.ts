import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs the entries of a directory: a file renamed into it could otherwise be lost in a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Creates directories below a root durably. */
export interface Directories {
  /** Creates the directory and its parents, and syncs each entry. */
  make(path: string): Promise<void>;
  /** Removes a directory that no longer exists from the list of synced ones. */
  forget(path: string): void;
}

const maxRemembered = 10_000;

/** Creates the root; remembers synced directories, so that another file in one does not sync them again. */
export async function openDirectories(root: string): Promise<Directories> {
  const durable = new Set<string>();
  const first = await mkdir(root, { recursive: true, mode: 0o700 });
  if (first) for (let at = root; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
  return {
    async make(path) {
      if (durable.has(path)) return;
      await mkdir(path, { recursive: true, mode: 0o700 });
      // Also if the directory existed: the process that created it may not have synced it yet.
      for (let at = path; at !== root; at = dirname(at)) await syncDirectory(dirname(at));
      if (durable.size >= maxRemembered) durable.clear();
      durable.add(path);
    },
    forget(path) {
      durable.delete(path);
    },
  };
}
