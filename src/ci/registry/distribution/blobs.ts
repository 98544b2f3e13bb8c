import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { readRange } from '../../../platform/http/responses/byte-range.ts';
import { FileMissing } from '../../../platform/storage/storage.ts';
import { RegistryRefusal } from './refusal.ts';
import type { Access } from './rights.ts';
import * as store from './store.ts';

const hour = 60 * 60 * 1000;

/** Sends a blob of a project, or only its headers for HEAD. */
export async function sendBlob(
  services: Services,
  access: Access,
  digest: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const blob = await store.blobOfProject(services.db.read, access.subject.project.id, digest);
  if (!blob || (await isLost(services, access, blob))) throw new RegistryRefusal('BLOB_UNKNOWN');
  return sendStored(services, blob, request, reply).catch((error: unknown) => {
    throw error instanceof FileMissing ? new RegistryRefusal('BLOB_UNKNOWN') : error;
  });
}

/** Sends a stored blob, in full or as a range. Throws `FileMissing` if its file is missing. */
export async function sendStored(
  { storage }: Services,
  blob: Pick<store.FoundBlob, 'digest' | 'size' | 'storage_key'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { digest } = blob;
  const size = Number(blob.size);
  reply.type('application/octet-stream').headers({
    'docker-content-digest': digest,
    etag: `"${digest}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000',
  });
  if (request.method === 'HEAD') return reply.header('content-length', size).send(null);
  if (request.headers['if-none-match'] === `"${digest}"`) return reply.code(304).send();
  const range = readRange(request.headers.range, size);
  if (range === 'beyond') {
    throw new RegistryRefusal('RANGE_INVALID', { headers: { 'content-range': `bytes */${size}` } });
  }
  const { stream } = await storage.get(blob.storage_key, range);
  if (!range) return reply.header('content-length', size).send(stream);
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(stream);
}

/**
 * A client that may push and learns that a blob exists skips its upload and relies on it until the manifest arrives, so
 * the blob must not be garbage collected in between. Touched at most once an hour; reads write nothing else.
 */
async function isLost({ db }: Services, access: Access, blob: store.FoundBlob): Promise<boolean> {
  const now = Date.now();
  if (!access.allowed.has('push') || blob.touched_at > now - hour) return false;
  return !(await db.write((trx) => store.touchBlob(trx, access.subject.project.id, blob.id, now)));
}

/** Mounts a blob from another repository the caller can read. Returns false if it does not exist there. */
export async function mountBlob({ db }: Services, from: Access, to: Access, digest: string): Promise<boolean> {
  const blob = await store.blobOfProject(db.read, from.subject.project.id, digest);
  if (!blob) return false;
  return db
    .write(async (trx) => {
      await store.linkBlob(trx, to.subject.project.id, blob);
      return true;
    })
    .catch((error: unknown) => {
      // The blob was garbage collected concurrently.
      if (foreignKeyViolation(error)) return false;
      throw error;
    });
}
