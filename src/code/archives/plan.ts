import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import {
  type ArchiveFormat,
  type ArchiveQuery,
  archive,
  type ReplaceBlob,
} from '../../platform/git/archive/archive.ts';
import { parseLfsPointer } from '../../platform/git/objects/lfs-pointer.ts';
import { GitBusyError, GitError } from '../../platform/git/process/errors.ts';
import { isWithinBudget } from '../../platform/git/trees/change-budget.ts';
import { pathProblem } from '../../platform/git/trees/path.ts';
import { NotFound, Overloaded, Unprocessable } from '../../platform/http/errors.ts';
import { trimCharacters } from '../../platform/trim.ts';
import { lfsObject } from '../lfs/public.ts';
import { acquireReadSlot, defaultBranch, type ProjectCall, repositoryOf, resolveCommit } from '../repository/public.ts';
import { archiveName } from './formats.ts';

export interface ArchiveRequest {
  readonly sha?: string;
  readonly path?: string;
  readonly exclude_paths?: readonly string[];
  readonly include_lfs_blobs: boolean;
  /** Whether to append the commit ID to the name. Defaults to true. */
  readonly append_sha?: boolean;
}

/** A resolved archive request: everything that decides the content, and the cache key derived from it. */
export interface Plan {
  readonly query: Omit<ArchiveQuery, 'replaceBlob'>;
  readonly withLargeFiles: boolean;
  readonly key: string;
  readonly filename: string;
}

/** Resolves an archive request. Throws 404 if the commit or the path does not exist. */
export async function planArchive(
  services: Services,
  subject: ProjectSubject,
  format: ArchiveFormat,
  archiveRequest: ArchiveRequest,
): Promise<Plan> {
  const missing = new NotFound('File');
  const commit = await resolveCommit(services, subject, archiveRequest.sha);
  if (!commit) throw missing;
  const path = trimCharacters(archiveRequest.path ?? '', '/');
  const objects = services.git.objects(repositoryOf(services, subject));
  if (path !== '' && (pathProblem(path) || !(await objects.entryAt(commit.tree, path)))) throw missing;
  // Even for a single path git reads the whole tree, for its attributes.
  if (!(await isWithinBudget(objects, commit.tree))) throw new Unprocessable('The requested archive is too large');
  const ref = archiveRequest.sha || defaultBranch(subject);
  const named = archiveRequest.append_sha === false ? undefined : commit.oid;
  const topFolder = archiveName({ project: subject.project.path, ref, commit: named, path });
  const excludePaths = [...(archiveRequest.exclude_paths ?? [])].filter((each) => each !== '').sort();
  const query = { commit: commit.oid, format, topFolder, excludePaths, ...(path === '' ? {} : { path }) };
  const { project } = subject;
  const hasLfsObjects = project.lfs_objects_size > 0 && settingsOf(project).lfs_enabled !== false;
  const withLargeFiles = archiveRequest.include_lfs_blobs && hasLfsObjects;
  const identity = JSON.stringify([project.id, query, withLargeFiles]);
  const key = createHash('sha256').update(identity).digest('hex');
  return { query, withLargeFiles, key, filename: `${topFolder}.${format}` };
}

/**
 * Streams an archive, holding a read slot until the stream ends. `isWhole` then tells whether all LFS objects were
 * found.
 */
export async function streamArchive(
  services: Services,
  call: ProjectCall,
  { query, withLargeFiles }: Plan,
): Promise<{ stream: Readable; isWhole: () => boolean }> {
  const { subject, signal } = call;
  const release = await acquireReadSlot(services, call);
  let whole = true;
  const replaceBlob = withLargeFiles ? lfsReplacer(services, subject, () => (whole = false)) : undefined;
  try {
    const stream = await archive(repositoryOf(services, subject), { ...query, replaceBlob }, { signal });
    finished(stream).then(release, release);
    return { stream, isWhole: () => whole };
  } catch (error) {
    release();
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof GitBusyError) return new Overloaded();
  const wrong = error instanceof GitError && !error.aborted && !error.timedOut && !error.outOfMemory;
  return wrong ? new NotFound('File') : error;
}

/** Replaces LFS pointers with their objects. A pointer whose object is missing is kept as is. */
function lfsReplacer(services: Services, subject: ProjectSubject, onMissing: () => void): ReplaceBlob {
  return async (_path, content) => {
    const pointer = parseLfsPointer(content);
    if (!pointer) return undefined;
    const file = await lfsObject(services, subject.project.id, pointer.oid);
    if (file?.size === pointer.size) return { size: file.size, content: file.stream };
    file?.stream.destroy();
    onMissing();
    return undefined;
  };
}
