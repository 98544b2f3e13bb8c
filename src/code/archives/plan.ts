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
  /** Whether the name ends with the id of the commit; it does unless told not to. */
  readonly append_sha?: boolean;
}

/** An archive that can be made: everything that decides its bytes, and the key that stands for them. */
export interface Plan {
  readonly query: Omit<ArchiveQuery, 'replaceBlob'>;
  readonly withLargeFiles: boolean;
  readonly key: string;
  readonly filename: string;
}

/** Finds what a request wants; 404 when it is not there. */
export async function planArchive(
  services: Services,
  subject: ProjectSubject,
  format: ArchiveFormat,
  wanted: ArchiveRequest,
): Promise<Plan> {
  const missing = new NotFound('File');
  const commit = await resolveCommit(services, subject, wanted.sha);
  if (!commit) throw missing;
  const path = trimCharacters(wanted.path ?? '', '/');
  const objects = services.git.objects(repositoryOf(services, subject));
  if (path !== '' && (pathProblem(path) || !(await objects.entryAt(commit.tree, path)))) throw missing;
  // Of a path too git reads the whole tree, for its attributes.
  if (!(await isWithinBudget(objects, commit.tree))) throw new Unprocessable('What was asked for is too large');
  const ref = wanted.sha || defaultBranch(subject);
  const named = wanted.append_sha === false ? undefined : commit.oid;
  const topFolder = archiveName({ project: subject.project.path, ref, commit: named, path });
  const excludePaths = [...(wanted.exclude_paths ?? [])].filter((each) => each !== '').sort();
  const query = { commit: commit.oid, format, topFolder, excludePaths, ...(path === '' ? {} : { path }) };
  const { project } = subject;
  const keepsLarge = project.lfs_objects_size > 0 && settingsOf(project).lfs_enabled !== false;
  const withLargeFiles = wanted.include_lfs_blobs && keepsLarge;
  const identity = JSON.stringify([project.id, query, withLargeFiles]);
  const key = createHash('sha256').update(identity).digest('hex');
  return { query, withLargeFiles, key, filename: `${topFolder}.${format}` };
}

/** The archive as a stream that holds a turn until its end; `isWhole` says then whether nothing was missing. */
export async function makeArchive(
  services: Services,
  call: ProjectCall,
  { query, withLargeFiles }: Plan,
): Promise<{ stream: Readable; isWhole: () => boolean }> {
  const { subject, signal } = call;
  const release = await acquireReadSlot(services, call);
  let whole = true;
  const replaceBlob = withLargeFiles ? largeFiles(services, subject, () => (whole = false)) : undefined;
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

/** Puts the objects of Git LFS in the place of their pointers; a pointer whose object is not here stays. */
function largeFiles(services: Services, subject: ProjectSubject, onMissing: () => void): ReplaceBlob {
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
