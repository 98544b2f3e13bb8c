import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { BadArchive, limited, type UnpackLimits, unpack } from './unpack.ts';

/** Relations exported as archives, with the paths of their entries in the project archive. */
const archives: Readonly<Record<string, (path: string) => string>> = {
  repository: (path) => (path === 'repository.bundle' ? 'project.bundle' : path),
  uploads: (path) => `uploads/${path}`,
  lfs_objects: (path) => `lfs-objects/${path}`,
};

/** Supported relations of a project, in the order in which they are fetched. */
export const readRelations: readonly string[] = [
  'self',
  'labels',
  'milestones',
  'issues',
  'issue_links',
  'boards',
  'merge_requests',
  'releases',
  'snippets',
  'commit_notes',
  'ci_pipelines',
  'pipeline_schedules',
  'protected_branches',
  'protected_tags',
  'protected_environments',
  'approval_rules',
  'push_rule',
  'project_badges',
  'project_feature',
  'project_members',
  'user_contributions',
  ...Object.keys(archives),
];

/** Storage key of a relation while the import is running. */
export const relationKey = (projectId: number, relation: string) => `imports/${projectId}/relations/${relation}`;

/** Assembles downloaded relations in the layout of a project archive. */
export async function unpackRelations(
  run: ImportRun,
  folder: string,
  limits: UnpackLimits,
  signal: AbortSignal,
): Promise<void> {
  const { services, project } = run;
  for (const relation of readRelations) {
    const stored = await services.storage.get(relationKey(project.id, relation)).catch((error: unknown) => {
      if (!(error instanceof FileMissing)) throw error;
    });
    if (!stored) continue;
    const placeOf = archives[relation];
    const lines = relation === 'self' ? 'tree/project.json' : `tree/project/${relation}.ndjson`;
    try {
      if (placeOf) await unpack(stored.stream, folder, limits, signal, placeOf);
      else await gunzipTo(stored.stream, join(folder, lines), limits.bytes, signal);
    } catch (error) {
      if (!(error instanceof BadArchive) || relation === 'self') throw error;
      await run.fail(relation, 'file', error);
    }
  }
}

/** Decompresses a file; throws if it is truncated or exceeds the limit. */
export async function gunzipTo(
  packed: NodeJS.ReadableStream,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const bounded = (source: AsyncIterable<Buffer>) => limited(source, most);
  try {
    await pipeline(packed, createGunzip(), bounded, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    const ofDisk = error instanceof Error && 'syscall' in error;
    if (signal.aborted || error instanceof BadArchive || ofDisk) throw error;
    throw new BadArchive(`the file cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function clearRelations({ storage }: Services, projectId: number): Promise<void> {
  for (const relation of readRelations) await storage.delete(relationKey(projectId, relation));
}
