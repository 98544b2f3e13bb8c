import { createHash, hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Services } from '../../access/services.ts';
import type { WithProcessSlot } from '../../platform/git/history/log.ts';
import { lastCommitOf } from '../../platform/git/history/path-history.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { type Objects, SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { entryType, type TreeEntry } from '../../platform/git/trees/tree.ts';
import { objectWithContent, type StreamedObject } from '../../platform/http/bodies/base64-json.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { type ProjectCall, repositoryOf, requireCommit, runExpensive } from '../repository/public.ts';
import type { FileEntity } from './schema.ts';

/** A file at a commit. */
export interface FoundFile {
  readonly objects: Objects;
  readonly commit: Commit;
  readonly entry: TreeEntry;
  /** Null for a submodule, which refers to a commit of another repository. */
  readonly blob: string | null;
  readonly size: number;
  readonly path: string;
  /** The ref as requested. */
  readonly ref: string;
}

/** The metadata of a file, without its content. */
export type FileMetadata = Omit<FileEntity, 'content'>;

/** Finds the file at a path. Throws 404 for an unknown revision, a missing path or a folder. */
export async function findFile(
  services: Services,
  { subject }: ProjectCall,
  path: string,
  ref: string | undefined,
): Promise<FoundFile> {
  const commit = await requireCommit(services, subject, ref);
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(commit.tree, path);
  if (!entry || entryType(entry) === 'tree') throw new NotFound('File');
  const found = { objects, commit, entry, path, ref: ref || 'HEAD' };
  if (entryType(entry) === 'commit') return { ...found, blob: null, size: 0 };
  const info = await objects.info(entry.oid);
  if (info.status !== 'found' || info.type !== 'blob') throw new NotFound('File');
  return { ...found, blob: entry.oid, size: info.size };
}

/** Returns the metadata of a file. It only depends on the commit, ref and path, so it is cached. */
export function describeFile(services: Services, call: ProjectCall, file: FoundFile): Promise<FileMetadata> {
  const { objects, commit, entry, path } = file;
  const bytes = () => 600 + 4 * path.length + 2 * file.ref.length;
  return objects.derived('file', `${commit.oid}\0${file.ref}\0${path}`, bytes, async () => {
    const slowly: WithProcessSlot = (work) => runExpensive(services, call, () => work({ signal: call.signal }));
    const [sha256, last] = await Promise.all([
      contentSha256(file, call),
      lastCommitOf(objects, commit.oid, path, slowly),
    ]);
    return {
      file_name: path.slice(path.lastIndexOf('/') + 1),
      file_path: path,
      size: file.size,
      encoding: 'base64',
      content_sha256: sha256,
      ref: file.ref,
      blob_id: entry.oid,
      commit_id: commit.oid,
      last_commit_id: last ?? commit.oid,
      execute_filemode: entry.mode === '100755',
    };
  });
}

function contentSha256({ objects, blob, size }: FoundFile, call: ProjectCall): Promise<string> {
  const bytes = () => 64;
  return objects.derived('sha256', blob ?? 'none', bytes, async () => {
    if (size <= SHARED_READ_BYTES) return hash('sha256', (blob && (await objects.blob(blob))) || '', 'hex');
    const digest = createHash('sha256');
    const opened = blob === null ? null : await objects.blobStream(blob, call.signal);
    if (opened) await pipeline(opened.stream, digest);
    return digest.digest('hex');
  });
}

/** Adds the content to a small file. */
export async function withContent(file: FoundFile, metadata: FileMetadata): Promise<FileEntity> {
  if (file.blob === null) return { ...metadata, content: '' };
  const bytes = await file.objects.blob(file.blob);
  if (!bytes) throw new NotFound('File');
  return { ...metadata, content: bytes.toString('base64') };
}

/** Streams the JSON of a large file with its content, which is encoded while being sent. */
export async function streamedContent(
  { objects, blob }: FoundFile,
  metadata: FileMetadata,
  signal: AbortSignal,
): Promise<StreamedObject> {
  const opened = blob === null ? null : await objects.blobStream(blob, signal);
  if (!opened) throw new NotFound('File');
  return objectWithContent(metadata, opened);
}
