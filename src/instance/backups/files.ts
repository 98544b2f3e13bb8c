import { constants, type Stats } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifMissing } from '../../platform/missing.ts';
import { syncDirectory } from '../../platform/storage/directories.ts';

/** How the files of a folder get into another. */
export interface CopyFilesOptions {
  /** Whether a file may be one and the same in both: only where files are replaced, never written into. */
  readonly link: boolean;
  /** An earlier copy on the disk of the new one: files that have not changed since are linked from there. */
  readonly earlier?: string;
  /** Names in the folder itself to leave out. */
  readonly except?: (name: string) => boolean;
}

/**
 * Brings every file of a folder into another, durably, and tells how many there are. Files there already stay; files that
 * are removed meanwhile are left out.
 */
export async function copyFiles(from: string, to: string, options: CopyFilesOptions): Promise<number> {
  const { except = () => false, earlier } = options;
  const entries = ((await readdir(from, { withFileTypes: true }).catch(ifMissing)) ?? []).filter(
    ({ name }) => !except(name),
  );
  await mkdir(to, { recursive: true, mode: 0o700 });
  let count = 0;
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const twin = earlier === undefined ? undefined : join(earlier, entry.name);
    if (entry.isDirectory()) count += await copyFiles(source, target, { link: options.link, earlier: twin });
    else if (entry.isFile() && (await copyOne(source, target, { link: options.link, earlier: twin }))) count += 1;
  }
  await syncDirectory(to);
  return count;
}

async function copyOne(from: string, to: string, options: CopyFilesOptions): Promise<boolean> {
  const [source, there] = await Promise.all([stat(from).catch(ifMissing), stat(to).catch(ifMissing)]);
  if (!source) return there !== undefined;
  if (isSame(source, there)) return true;
  // Not written over: it may be one with the file of an earlier copy.
  if (there) await rm(to);
  const twin = options.earlier === undefined ? undefined : await stat(options.earlier).catch(ifMissing);
  if (options.earlier !== undefined && isSame(source, twin) && (await linked(options.earlier, to))) return true;
  if (options.link && (await linked(from, to))) return true;
  return copied(from, to);
}

/** Times are kept to the millisecond. */
function isSame(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.size === b.size && Math.abs(a.mtimeMs - b.mtimeMs) < 2;
}

/** False where it cannot be a link: another disk, a file that is there, one that is gone. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EXDEV', 'EMLINK', 'EPERM', 'EEXIST', 'ENOENT'].includes(code)) return false;
    throw error;
  }
}

async function copied(from: string, to: string): Promise<boolean> {
  const source = await stat(from).catch(ifMissing);
  if (!source) return false;
  // Shares the blocks where the file system can.
  const done = await copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true, ifMissing);
  if (!done) return false;
  // With its time: the next backup tells by it that nothing has changed.
  await utimes(to, source.atimeMs / 1000, source.mtimeMs / 1000);
  await synced(await open(to, 'r'));
  return true;
}

async function synced(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the entry of a new folder durable, and those of the folders above it that were made with it. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = path; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
}
