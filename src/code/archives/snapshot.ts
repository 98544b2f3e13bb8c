import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { type TarEntry, writeTar } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { copyRepository } from '../../platform/git/upkeep/copy.ts';
import { NotFound } from '../../platform/http/errors.ts';

/** Streams a consistent copy of a bare repository as a tar archive. */
export async function takeSnapshot(
  services: Services,
  subject: ProjectSubject,
  wiki: boolean,
  signal: AbortSignal,
): Promise<Readable> {
  const { id } = subject.project;
  const repo = services.git.repository(wiki ? `${id}.wiki` : id);
  if (!(await repositoryExists(repo))) throw new NotFound('Repository');
  const folder = join(services.config.data, 'tmp', 'snapshots', randomUUID());
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const copy = await copyRepository(services.git, repo, join(folder, 'repository.git'), { signal });
    return Readable.from(tarOf(copy, folder), { objectMode: false });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function* tarOf(copy: Repository, folder: string): AsyncGenerator<Buffer, void> {
  try {
    yield* writeTar(entriesOf(copy.path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* entriesOf(root: string, below = ''): AsyncGenerator<TarEntry, void> {
  const names = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) {
      yield newTarEntry({ kind: 'directory', path: `${path}/`, size: 0, mtime: 0, content: [] });
      yield* entriesOf(root, path);
    } else {
      const { size, mtimeMs } = await stat(join(root, path));
      const content = bytesOf(join(root, path));
      yield newTarEntry({ kind: 'file', path, size, mtime: Math.floor(mtimeMs / 1000), content });
    }
  }
}

/** Opens the file only when it is read, so that no handle leaks when the client disconnects. */
async function* bytesOf(path: string): AsyncGenerator<Buffer, void> {
  for await (const chunk of createReadStream(path)) yield chunk as Buffer;
}
