import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Services } from '../../../access/services.ts';
import { acquireReadSlot, type ProjectCall, repositoryOf } from '../../../code/repository/public.ts';
import type { TarEntry } from '../../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../../platform/git/archive/tar-entry.ts';
import { writeZip } from '../../../platform/git/archive/zip.ts';
import { datedSeconds } from '../../../platform/git/objects/identity.ts';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import { isWithinBudget } from '../../../platform/git/trees/change-budget.ts';
import { listTreeRecursively } from '../../../platform/git/trees/list.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { isInZip, readGoMod } from './go-mod.ts';
import { fileAt, type ModuleVersion, textOf } from './versions.ts';

/** Maximum total size of the files of a module; the go command accepts no more. */
const maxBytes = 500 * 1024 * 1024;
/** Maximum number of files; all paths are kept in memory while sending. */
const maxFiles = 100_000;
const batchSize = 100;

interface ModuleFile {
  readonly path: string;
  readonly oid: string;
}

/**
 * Streams the zip of a version, built like the go command does: repository attributes are ignored, and the checksum is
 * reproducible.
 */
export async function moduleZip(
  services: Services,
  call: ProjectCall,
  module: string,
  found: ModuleVersion,
): Promise<Readable> {
  const release = await acquireReadSlot(services, call);
  try {
    const objects = services.git.objects(repositoryOf(services, call.subject));
    const files = await filesOf(services, objects, call, found);
    const sized = await withSizes(objects, files);
    const top = `${module}@${found.version}`;
    const entries = entriesOf(objects, sized, top, datedSeconds(found.commit.committer.seconds), call.signal);
    const stream = Readable.from(writeZip(entries), { objectMode: false });
    finished(stream).then(release, release);
    return stream;
  } catch (error) {
    release();
    throw error;
  }
}

async function filesOf(
  services: Services,
  objects: Objects,
  { subject, signal }: ProjectCall,
  { commit, root: { folder, goMod } }: ModuleVersion,
): Promise<ModuleFile[]> {
  const tree = folder === '' ? commit.tree : (await objects.entryAt(commit.tree, folder))?.oid;
  if (tree === undefined) throw new NotFound('Module version');
  if (!(await isWithinBudget(objects, tree, maxFiles))) throw tooLarge();
  const files: ModuleFile[] = [];
  for await (const lines of listTreeRecursively(repositoryOf(services, subject), tree, { signal })) {
    for (const { mode, oid, path } of lines) {
      // Symbolic links and submodules are skipped.
      if (mode.startsWith('100')) files.push({ path: decodeText(path), oid });
      if (files.length > maxFiles) throw tooLarge();
    }
  }
  const modules = new Set(files.flatMap(({ path }) => /^(.+)\/go\.mod$/i.exec(path)?.[1] ?? []));
  const { language } = readGoMod(goMod === undefined ? '' : await textOf(objects, goMod));
  const own = files.filter(({ path }) => isInZip(path, { modules, language }));
  const license = await licenseFor(objects, commit.tree, folder, own);
  return license === undefined ? own : [...own, { path: 'LICENSE', oid: license }];
}

/** A module in a subfolder without a licence file includes the one of the repository. */
async function licenseFor(objects: Objects, tree: string, folder: string, own: readonly ModuleFile[]) {
  if (folder === '' || own.some(({ path }) => path === 'LICENSE')) return undefined;
  return fileAt(objects, tree, 'LICENSE');
}

type Sized = ModuleFile & { readonly size: number };

async function withSizes(objects: Objects, files: readonly ModuleFile[]): Promise<Sized[]> {
  let bytes = 0;
  const sized: Sized[] = [];
  for (let at = 0; at < files.length; at += batchSize) {
    const some = files.slice(at, at + batchSize);
    const found = await Promise.all(some.map(({ oid }) => objects.info(oid)));
    for (const [index, file] of some.entries()) {
      const info = found[index];
      if (info?.status !== 'found') throw new NotFound('Module version');
      bytes += info.size;
      sized.push({ ...file, size: info.size });
    }
    if (bytes > maxBytes) throw tooLarge();
  }
  return sized;
}

const tooLarge = () => new Unprocessable('The module is too large');

async function* entriesOf(
  objects: Objects,
  files: readonly Sized[],
  top: string,
  mtime: number,
  signal: AbortSignal,
): AsyncGenerator<TarEntry, void> {
  for (const { path, oid, size } of files) {
    const content = contentOf(objects, oid, signal);
    yield newTarEntry({ kind: 'file', path: `${top}/${path}`, size, mtime, content });
  }
}

/** Opens each blob only when it is read. */
async function* contentOf(objects: Objects, oid: string, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const blob = await objects.blobStream(oid, signal);
  if (!blob) throw new Error(`the blob ${oid} does not exist`);
  for await (const chunk of blob.stream) yield chunk as Buffer;
}
