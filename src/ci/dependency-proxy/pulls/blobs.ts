import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { Limiter } from '../../../platform/concurrency.ts';
import { type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { perServer } from '../../../platform/per-server.ts';
import { FileMismatch, FileMissing } from '../../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed } from '../../../platform/storage/unclaimed.ts';
import { RegistryRefusal, sendStored } from '../../registry/public.ts';
import type { BlobRow } from '../tables.ts';
import type { Pull } from './pull.ts';
import * as store from './store.ts';
import { discard, refusalOf } from './upstream.ts';

const hour = 60 * 60 * 1000;
/** Limits concurrent blob downloads from the upstream registry. */
const fetches = perServer((_services: Services) => new Limiter({ running: 64, waiting: 512 }));

/** Sends a blob from the cache of the group, or else streams it from the upstream registry while caching it. */
export async function pullBlob(
  services: Services,
  pull: Pull,
  digest: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const cached = await store.blobOfGroup(services.db.read, pull.groupId, digest);
  if (cached && (await sendCached(services, cached, request, reply))) return reply;
  const release = await fetches(services).acquire(pull.signal);
  try {
    const response = await fetchBlob(services, pull, digest, request.method === 'HEAD' ? 'HEAD' : 'GET');
    const length = [response.headers['content-length']].flat()[0];
    reply
      .type('application/octet-stream')
      .headers({ 'docker-content-digest': digest, etag: `"${digest}"`, 'cache-control': 'private, max-age=31536000' });
    if (length !== undefined && /^\d{1,15}$/.test(length)) reply.header('content-length', length);
    if (request.method === 'HEAD') {
      discard(response.body);
      release();
      return reply.send(null);
    }
    const out = new PassThrough();
    void streamAndCache(services, pull, digest, response, out).finally(release);
    return reply.send(out);
  } catch (error) {
    release();
    throw error;
  }
}

/** Sends a cached blob. Returns false if its file is missing, after dropping the cache entry. */
async function sendCached(
  services: Services,
  cached: BlobRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const now = Date.now();
  if (cached.read_at <= now - hour) await services.db.write((trx) => store.recordBlobRead(trx, cached.id, now));
  try {
    await sendStored(services, cached, request, reply);
    return true;
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    await services.db.write((trx) => store.detachBlob(trx, cached.id));
    return false;
  }
}

async function fetchBlob({ config }: Services, { upstream, signal }: Pull, digest: string, method: 'GET' | 'HEAD') {
  const response = await upstream.ask({ method, path: `blobs/${digest}`, maxBytes: config.maxRegistryLayer, signal });
  const refusal = refusalOf(response, 'BLOB_UNKNOWN');
  if (!refusal) return response;
  discard(response.body);
  throw refusal;
}

/**
 * Streams a blob to the client while storing it. The last chunk is held back until the whole blob has been verified and
 * cached. If verification fails or the client disconnects, the client receives fewer bytes than announced and nothing
 * is cached.
 */
async function streamAndCache(
  services: Services,
  { groupId, signal }: Pull,
  digest: string,
  response: EgressResponse,
  out: PassThrough,
): Promise<void> {
  const random = randomBytes(16).toString('hex');
  const storage_key = `dependency-proxy/${random.slice(0, 2)}/${random.slice(2)}`;
  let last: Uint8Array | undefined;
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      // Applies backpressure if the client is slower than the upstream registry.
      if (last && !out.write(last)) await once(out, 'drain', { signal });
      last = chunk;
      yield chunk;
    }
  }
  try {
    const expected = { expectedSha256: digest.slice('sha256:'.length), maxSize: services.config.maxRegistryLayer };
    const { size } = await putUnclaimed(services, storage_key, passing(), expected);
    const now = Date.now();
    const row = { group_id: groupId, digest, size, storage_key, created_at: now, read_at: now };
    await services.db.write(async (trx) => {
      // Of several concurrent pulls only one caches the blob; the unclaimed files of the others are removed within a
      // day.
      if (await store.saveBlob(trx, row)) await claimStoredFile(services, trx, storage_key);
    });
    out.end(last);
  } catch (error) {
    services.log.warn({ error: String(error), digest }, 'failed to download a blob from the upstream registry');
    discard(response.body);
    out.destroy(refusalFor(error));
  }
}

/** The error to report if no part of the response has been sent yet. */
function refusalFor(error: unknown): RegistryRefusal {
  if (error instanceof FileMismatch) {
    const message = 'the upstream registry sent content that does not match the digest';
    return new RegistryRefusal('DIGEST_INVALID', { status: 502, message });
  }
  if (error instanceof ResponseTooLarge) return new RegistryRefusal('SIZE_INVALID');
  return new RegistryRefusal('UNAVAILABLE', { message: 'the connection to the upstream registry was lost' });
}
