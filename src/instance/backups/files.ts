import { constants, type Stats } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../platform/folders.ts';
import { ifMissing } from '../../platform/missing.ts';
import { syncDirectory } from '../../platform/storage/directories.ts';

/** Options for copying the files of a folder. */
export interface CopyFilesOptions {
  /** Whether files may be hard-linked: only if they are replaced, never modified in place. */
  readonly link: boolean;
  /** An earlier copy on the target's disk; unchanged files are hard-linked from there. */
  readonly earlier?: string;
  /** Names in the folder itself to leave out. */
  readonly except?: (name: string) => boolean;
}

/**
 * Copies all files of a folder into another, durably, and returns their number. Existing files are kept; files removed
 * meanwhile are left out.
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
  // Removed rather than overwritten: it may be a hard link to a file of an earlier copy.
  if (there) await rm(to);
  const twin = options.earlier === undefined ? undefined : await stat(options.earlier).catch(ifMissing);
  if (options.earlier !== undefined && isSame(source, twin) && (await linked(options.earlier, to))) return true;
  if (options.link && (await linked(from, to))) return true;
  return copied(from, to);
}

/** Times are preserved to the millisecond only. */
function isSame(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.size === b.size && Math.abs(a.mtimeMs - b.mtimeMs) < 2;
}

/** Returns false if the file cannot be linked: different file systems, an existing target, or a missing source. */
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
  // Shares blocks if the file system supports it.
  const done = await copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true, ifMissing);
  if (!done) return false;
  // Preserves the modification time, by which the next backup recognizes unchanged files.
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

/** Creates a folder with its parents and makes their directory entries durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = await makeFolders(path);
  if (first === undefined) return;
  for (let at = path; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
}
