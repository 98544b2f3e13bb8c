import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, glob, lstat, mkdir, readdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import * as yauzl from 'yauzl';
import { ZipFile } from 'yazl';

const kinds = { mask: 0o170000, link: 0o120000 };
const longestLink = 4096;

/** Returns the files and folders that match the paths and patterns, without the excluded ones, sorted. */
export async function selectFiles(
  folder: string,
  paths: readonly string[],
  exclude: readonly string[] = [],
): Promise<string[]> {
  const left = new Set(await matching(folder, exclude));
  const found = new Set<string>();
  for (const path of await matching(folder, paths)) await addTree(folder, path, found);
  return [...found].filter((path) => !left.has(path)).sort();
}

/** Returns the matches of the patterns relative to the folder, ignoring patterns that lead outside of it. */
async function matching(folder: string, patterns: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of patterns) {
    const inside = relative(folder, resolve(folder, pattern));
    if (inside.startsWith('..')) continue;
    if (inside === '') found.push('.');
    else for await (const path of glob(inside, { cwd: folder })) found.push(path);
  }
  return found;
}

async function addTree(folder: string, path: string, found: Set<string>): Promise<void> {
  const state = await lstat(join(folder, path)).catch(() => undefined);
  if (!state || path === '.git') return;
  if (path !== '.') found.add(path);
  if (!state.isDirectory()) return;
  for (const name of await readdir(join(folder, path))) {
    if (name !== '.git') await addTree(folder, path === '.' ? name : join(path, name), found);
  }
}

/** Packs files into a zip archive. */
export async function zipFiles(folder: string, paths: readonly string[], to: string): Promise<void> {
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream, createWriteStream(to));
  for (const path of paths) {
    const whole = join(folder, path);
    const state = await lstat(whole);
    const name = path.split(sep).join('/');
    const { mtime, mode } = state;
    if (state.isDirectory()) zip.addEmptyDirectory(name, { mtime, mode });
    else if (state.isSymbolicLink()) zip.addBuffer(Buffer.from(await readlink(whole)), name, { mtime, mode });
    else if (state.isFile()) zip.addFile(whole, name, { mtime, mode });
  }
  zip.end();
  await written;
}

/** Compresses files one after another, each as a separate gzip member. */
export async function gzipFiles(folder: string, paths: readonly string[], to: string): Promise<void> {
  for (const [at, path] of paths.entries()) {
    const target = createWriteStream(to, { flags: at === 0 ? 'w' : 'a' });
    await pipeline(createReadStream(join(folder, path)), createGzip(), target);
  }
}

/** Unpacks an archive into a folder; rejects entries that would be outside of it. */
export async function unzipInto(archive: string, folder: string): Promise<void> {
  const root = await realpath(folder);
  const zip = await yauzl.openPromise(archive, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) await unpack(zip, entry, root);
  } finally {
    zip.close();
  }
}

async function unpack(zip: yauzl.ZipFile, entry: yauzl.Entry, root: string): Promise<void> {
  const path = join(root, entry.fileName);
  const mode = (entry.externalFileAttributes >>> 16) & 0xffff;
  if (entry.fileName.endsWith('/')) {
    await mkdir(path, { recursive: true });
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  // A symbolic link created by an earlier entry must not lead outside.
  const parent = await realpath(dirname(path));
  if (parent !== root && !parent.startsWith(root + sep))
    throw new Error(`${entry.fileName} would be outside of the folder`);
  await rm(path, { force: true, recursive: true });
  const stream = await zip.openReadStreamPromise(entry);
  if ((mode & kinds.mask) === kinds.link) {
    const target = Buffer.concat((await stream.toArray()) as Buffer[]);
    if (target.length > longestLink) throw new Error(`${entry.fileName} is not a valid link`);
    await symlink(target.toString(), path);
    return;
  }
  await pipeline(stream, createWriteStream(path));
  if ((mode & 0o777) !== 0) await chmod(path, mode & 0o777);
}
