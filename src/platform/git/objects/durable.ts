import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a folder (created, renamed or removed names) survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a new file and waits until it is on disk; fails when the file exists. */
export async function writeNewFile(path: string, data: string | Buffer, mode = 0o644): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await writeAndSync(handle, data);
  } finally {
    await handle.close();
  }
}

/** Renames a finished file and makes the rename durable. */
export async function publish(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

async function writeAndSync(handle: FileHandle, data: string | Buffer): Promise<void> {
  await handle.writeFile(data);
  await handle.datasync();
}
