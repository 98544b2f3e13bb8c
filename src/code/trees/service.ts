import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { type Objects, SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { isObjectId } from '../../platform/git/refs/refname.ts';
import { objectWithContent, type StreamedObject } from '../../platform/http/bodies/base64-json.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { rawTypeOf, repositoryOf, resolveCommit } from '../repository/public.ts';
import type { BlobEntity } from './schema.ts';

/** Finds a blob by ID, unambiguous ID prefix, `revision:path`, or a tag pointing to it. */
async function findBlob(
  services: Services,
  subject: ProjectSubject,
  name: string,
): Promise<{ objects: Objects; oid: string; size: number }> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const isId = isObjectId(name.toLowerCase());
  const oid = (isId ? undefined : await namedBlob(services, subject, name)) ?? name.toLowerCase();
  if (!/^[0-9a-f]{4,64}$/.test(oid)) throw new NotFound('Blob');
  const info = await objects.info(oid);
  if (info.status !== 'found' || info.type !== 'blob') throw new NotFound('Blob');
  return { objects, oid: info.oid, size: info.size };
}

/** Returns the blob at `revision:path`, or the one a tag points to. */
async function namedBlob(services: Services, subject: ProjectSubject, name: string): Promise<string | undefined> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const colon = name.indexOf(':');
  if (colon > 0) {
    const commit = await resolveCommit(services, subject, name.slice(0, colon));
    return commit ? (await objects.entryAt(commit.tree, name.slice(colon + 1)))?.oid : undefined;
  }
  const tag = await objects.ref(name.startsWith('refs/') ? name : `refs/tags/${name}`);
  const info = tag && (await objects.info(`${tag}^{blob}`));
  return info && info.status === 'found' ? info.oid : undefined;
}

/** Returns a small blob as an entity, a large one as a JSON stream that is encoded while being sent. */
export async function getBlob(
  services: Services,
  subject: ProjectSubject,
  sha: string,
  signal: AbortSignal,
): Promise<BlobEntity | StreamedObject> {
  const { objects, oid, size } = await findBlob(services, subject, sha);
  await limitLargeBlob(services, subject, size, '/projects/:id/repository/blobs/:sha/raw');
  const before = { size, encoding: 'base64' };
  if (size <= SHARED_READ_BYTES) {
    const content = await objects.blob(oid);
    return { ...before, content: (content ?? Buffer.alloc(0)).toString('base64'), sha: oid };
  }
  const opened = await objects.blobStream(oid, signal);
  if (!opened) throw new NotFound('Blob');
  return objectWithContent(before, opened, { sha: oid });
}

export async function openBlob(services: Services, subject: ProjectSubject, sha: string, signal: AbortSignal) {
  const { objects, oid, size } = await findBlob(services, subject, sha);
  const type = await rawTypeOf(objects, { oid, size }, signal);
  const opened = await objects.blobStream(oid, signal);
  if (!opened) throw new NotFound('Blob');
  return { ...opened, ...type, filename: oid };
}

/** Rate-limits large blobs sent as JSON, per project. `raw` is the URL of the unlimited alternative. */
export async function limitLargeBlob(
  { config, limits }: Services,
  subject: ProjectSubject,
  size: number,
  raw: string,
): Promise<void> {
  if (size <= config.largeBlob) return;
  const text =
    `The requested blob is over the threshold size of ${config.largeBlob}.\n` +
    `Access this blob using '${raw}' to avoid this error.\n`;
  await limits.spend('large_blob', subject.project.id, config.largeBlobRate, text);
}
