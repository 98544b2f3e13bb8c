import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { lfsObject } from '../../code/lfs/public.ts';
import { featureLevelsOf, settingsFor } from '../../namespaces/projects/public.ts';
import { wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { type TarEntry, writeTar } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { bundle, formatVersion, noting, now, packed, type Spool, spooled, text } from './entries.ts';
import { largeFilesAfter, uploadsAfter } from './relation-store.ts';
import { contributors, relations } from './relations/list.ts';
import type { Line } from './relations/walk.ts';

/** What the parts of a file are made with. */
export interface Making extends Spool {
  readonly project: Project;
  readonly description: string | null;
}

/** A project as one packed file. */
export function archiveOf(making: Making): AsyncGenerator<Buffer, void> {
  return packed(writeTar(entriesOf(making)), making.signal);
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
  yield* uploads(services, { project_id: project.id, namespace_id: null }, 'uploads/');
  yield* largeFiles(making);
}

/** The repository with everything that merge requests are about. */
export function repositoryBundle(making: Making, path: string): AsyncGenerator<TarEntry, void> {
  const { services, project } = making;
  const prefixes = ['refs/heads/', 'refs/tags/', 'refs/merge-requests/', 'refs/keep-around/'];
  return bundle(making, path, services.git.repository(project.id), prefixes, project.default_branch);
}

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

/** The files that texts of a project or group show, below a folder. */
export async function* uploads(
  services: Services,
  owner: OwnerColumns,
  folder: string,
): AsyncGenerator<TarEntry, void> {
  for (let after = 0; ; ) {
    const part = await uploadsAfter(services.db.read, owner, { after, limit: 100 });
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
