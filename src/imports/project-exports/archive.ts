import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { lfsObject } from '../../code/lfs/public.ts';
import { featureLevelsOf, settingsFor } from '../../namespaces/projects/public.ts';
import { wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { bundleOf } from '../../platform/git/archive/bundle.ts';
import { type TarEntry, writeTar } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { largeFilesAfter, uploadsAfter } from './relation-store.ts';
import { contributors, notePeople, relations } from './relations/list.ts';
import type { Line } from './relations/walk.ts';

/** The form of the tree; readers of another first number refuse it. */
export const formatVersion = '0.2.4';

/** What the parts of a file are made with. */
export interface Making {
  readonly services: Services;
  readonly project: Project;
  readonly description: string | null;
  /** Where what must be measured before it is packed lies meanwhile. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A project as one packed file. */
export function archiveOf(making: Making): AsyncGenerator<Buffer, void> {
  return packed(writeTar(entriesOf(making)), making.signal);
}

/** Bytes, packed. */
export async function* packed(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const gzip = createGzip();
  // A failure of the source reaches the reader through the packer.
  const packing = pipeline(bytes, gzip, { signal });
  packing.catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer;
  await packing;
}

async function* entriesOf(making: Making): AsyncGenerator<TarEntry, void> {
  const { services, project } = making;
  yield text('VERSION', formatVersion);
  yield* repositoryBundle(making, 'project.bundle');
  const wiki = wikiOf(services, { project_id: project.id, namespace_id: null });
  yield* bundle(making, 'project.wiki.bundle', wiki, ['refs/heads/'], wikiBranch);
  yield text('tree/project.json', JSON.stringify(attributesOf(making)));
  const people = new Set<number>();
  for (const { name, lines } of relations) {
    yield await spooled(making, `tree/project/${name}.ndjson`, noting(lines(services, project.id), people));
  }
  yield await spooled(making, 'tree/project/user_contributions.ndjson', contributors(services.db.read, people));
  yield* uploads(making);
  yield* largeFiles(making);
}

/** The repository with everything that merge requests are about. */
export function repositoryBundle(making: Making, path: string): AsyncGenerator<TarEntry, void> {
  const { services, project } = making;
  const prefixes = ['refs/heads/', 'refs/tags/', 'refs/merge-requests/', 'refs/keep-around/'];
  return bundle(making, path, services.git.repository(project.id), prefixes, project.default_branch);
}

function text(path: string, content: string): TarEntry {
  const bytes = Buffer.from(content);
  return newTarEntry({ kind: 'file', path, size: bytes.length, mtime: now(), content: [bytes] });
}

const now = () => Math.floor(Date.now() / 1000);

/** What is told of a project itself. */
export function attributesOf({ project, description }: Making): Line {
  const { name, path, visibility, archived, default_branch, topics } = project;
  return {
    name,
    path,
    description: description ?? project.description,
    visibility_level: visibility,
    archived: archived === 1,
    default_branch,
    topics: storedStrings(topics),
    ...settingsFor(project),
    ...featureLevelsOf(project),
  };
}

async function* bundle(
  making: Making,
  path: string,
  repo: Repository,
  prefixes: readonly string[],
  branch: string | null,
): AsyncGenerator<TarEntry, void> {
  const { services, signal } = making;
  if (!(await repositoryExists(repo))) return;
  const refs = (await Promise.all(prefixes.map((prefix) => services.git.listRefs(repo, prefix)))).flat();
  if (refs.length === 0) return;
  yield await kept(making, path, bundleOf(repo, refs, branch === null ? null : `refs/heads/${branch}`, signal));
}

/** Lines as they are, whose people are noted. */
export async function* noting(lines: AsyncGenerator<Line, void>, people: Set<number>): AsyncGenerator<Line, void> {
  for await (const line of lines) {
    notePeople(line, people);
    yield line;
  }
}

function spooled(making: Making, path: string, lines: AsyncGenerator<Line, void>): Promise<TarEntry> {
  async function* bytes(): AsyncGenerator<Buffer, void> {
    for await (const line of lines) yield lineBytes(line);
  }
  return kept(making, path, bytes());
}

export const lineBytes = (line: Line) => Buffer.from(`${JSON.stringify(line)}\n`);

/** What is measured first: the size of an entry stands before it. */
async function kept(
  { folder, signal }: Making,
  path: string,
  content: AsyncGenerator<Buffer, void>,
): Promise<TarEntry> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, path.replaceAll('/', '+'));
  await pipeline(content, createWriteStream(file), { signal });
  const { size } = await stat(file);
  return newTarEntry({ kind: 'file', path, size, mtime: now(), content: bytesOf(file) });
}

async function* bytesOf(file: string): AsyncGenerator<Buffer, void> {
  for await (const chunk of createReadStream(file)) yield chunk as Buffer;
}

/** The files that texts show, below a folder. */
export async function* uploads({ services, project }: Making, folder = 'uploads/'): AsyncGenerator<TarEntry, void> {
  for (let after = 0; ; ) {
    const part = await uploadsAfter(services.db.read, { of: project.id, after, limit: 100 });
    if (part.length === 0) return;
    for (const { id, secret, filename, storage_key, created_at } of part) {
      after = id;
      const file = await services.storage.get(storage_key).catch(unlessMissing);
      if (!file) continue;
      const path = `${folder}${secret}/${filename}`;
      const mtime = Math.floor(created_at / 1000);
      yield newTarEntry({ kind: 'file', path, size: file.size, mtime, content: file.stream });
    }
  }
}

/** The large files, below a folder, and the list of them beside it. */
export async function* largeFiles(
  { services, project }: Making,
  { folder, list } = { folder: 'lfs-objects/', list: 'lfs-objects.json' },
): AsyncGenerator<TarEntry, void> {
  const types: Record<string, readonly number[]> = {};
  for (let after = 0; ; ) {
    const part = await largeFilesAfter(services.db.read, { of: project.id, after, limit: 100 });
    if (part.length === 0) break;
    for (const { id, oid } of part) {
      after = id;
      const file = await lfsObject(services, project.id, oid);
      if (!file) continue;
      types[oid] = [0];
      yield newTarEntry({
        kind: 'file',
        path: `${folder}${oid}`,
        size: file.size,
        mtime: now(),
        content: file.stream,
      });
    }
  }
  if (Object.keys(types).length > 0) yield text(list, JSON.stringify(types));
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof FileMissing) return undefined;
  throw error;
}
