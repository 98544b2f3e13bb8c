import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a folder (names created, renamed, removed) survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a new file and waits until its bytes are on disk; fails when the name is taken. */
export async function writeNewFile(path: string, data: string | Buffer, mode = 0o644): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await writeAndSync(handle, data);
  } finally {
    await handle.close();
  }
}

/** Moves a finished file to its name and makes the move durable. */
export async function publish(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

async function writeAndSync(handle: FileHandle, data: string | Buffer): Promise<void> {
  await handle.writeFile(data);
  await handle.datasync();
}
