import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { lfsObject } from '../../code/lfs/public.ts';
import { featureLevelsOf, settingsFor } from '../../namespaces/projects/public.ts';
import { wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { type TarEntry, writeTar } from '../../platform/git/archive/tar.ts';
import { newTarEntry } from '../../platform/git/archive/tar-entry.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { storedRecord, storedStrings } from '../../platform/stored-json.ts';
import { approvalSettingsOf } from './configuration-store.ts';
import {
  bundle,
  collectingPeople,
  compressed,
  type EntryContext,
  formatVersion,
  linesEntry,
  now,
  text,
} from './entries.ts';
import { largeFilesAfter, uploadsAfter } from './relation-store.ts';
import { contributors, relations } from './relations/list.ts';
import type { Line } from './relations/walk.ts';

/** Context for creating the parts of an archive. */
export interface ExportContext extends EntryContext {
  readonly project: Project;
  readonly description: string | null;
}

/** Archive of a project. */
export function archiveOf(context: ExportContext): AsyncGenerator<Buffer, void> {
  return compressed(writeTar(entriesOf(context)), context.signal);
}

async function* entriesOf(context: ExportContext): AsyncGenerator<TarEntry, void> {
  const { services, project } = context;
  yield text('VERSION', formatVersion);
  yield* repositoryBundle(context, 'project.bundle');
  const wiki = wikiOf(services, { project_id: project.id, namespace_id: null });
  yield* bundle(context, 'project.wiki.bundle', wiki, ['refs/heads/'], wikiBranch);
  yield text('tree/project.json', JSON.stringify(await attributesOf(context)));
  const people = new Set<number>();
  for (const { name, lines } of relations) {
    yield await linesEntry(
      context,
      `tree/project/${name}.ndjson`,
      collectingPeople(lines(services, project.id), people),
    );
  }
  yield await linesEntry(context, 'tree/project/user_contributions.ndjson', contributors(services.db.read, people));
  yield* uploads(services, { project_id: project.id, namespace_id: null }, 'uploads/');
  yield* largeFiles(context);
}

/** Bundle of the repository, with all commits merge requests refer to. */
export function repositoryBundle(context: ExportContext, path: string): AsyncGenerator<TarEntry, void> {
  const { services, project } = context;
  const prefixes = ['refs/heads/', 'refs/tags/', 'refs/merge-requests/', 'refs/keep-around/'];
  return bundle(context, path, services.git.repository(project.id), prefixes, project.default_branch);
}

/** Attributes of the project. */
export async function attributesOf({ services, project, description }: ExportContext): Promise<Line> {
  const approvals = await approvalSettingsOf(services.db.read, project.id);
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
    ...(approvals ? storedRecord(approvals.settings) : {}),
  };
}

/** Uploaded files of a project or group, below a folder. */
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

/** LFS objects below a folder, and a file that lists them. */
export async function* largeFiles(
  { services, project }: ExportContext,
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
