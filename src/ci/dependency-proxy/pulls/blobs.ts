import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { Limiter } from '../../../platform/concurrency.ts';
import { type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { perServer } from '../../../platform/per-server.ts';
import { FileMismatch, FileMissing } from '../../../platform/storage/storage.ts';
import { claim, putUnclaimed } from '../../../platform/storage/unclaimed.ts';
import { RegistryRefusal, sendStored } from '../../registry/public.ts';
import type { BlobRow } from '../tables.ts';
import type { Pull } from './pull.ts';
import * as store from './store.ts';
import { discard, refusalOf } from './upstream.ts';

const hour = 60 * 60 * 1000;
/** So many blobs come from the other registry at once. */
const fetches = perServer((_services: Services) => new Limiter({ running: 64, waiting: 512 }));

/** Sends a blob: the one that the group keeps, or else the other registry's, which is kept while it passes. */
export async function pullBlob(
  services: Services,
  pull: Pull,
  digest: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const kept = await store.blobOfGroup(services.db.read, pull.groupId, digest);
  if (kept && (await sendKept(services, kept, request, reply))) return reply;
  const release = await fetches(services).acquire(pull.signal);
  try {
    const response = await ask(services, pull, digest, request.method === 'HEAD' ? 'HEAD' : 'GET');
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
    void passOn(services, pull, digest, response, out).finally(release);
    return reply.send(out);
  } catch (error) {
    release();
    throw error;
  }
}

/** Sends what is kept; false where its file is gone, which is then forgotten. */
async function sendKept(
  services: Services,
  kept: BlobRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const now = Date.now();
  if (kept.read_at <= now - hour) await services.db.write((trx) => store.noteBlobRead(trx, kept.id, now));
  try {
    await sendStored(services, kept, request, reply);
    return true;
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    await services.db.write((trx) => store.loseBlob(trx, kept.id));
    return false;
  }
}

async function ask({ config }: Services, { upstream, signal }: Pull, digest: string, method: 'GET' | 'HEAD') {
  const response = await upstream.ask({ method, path: `blobs/${digest}`, maxBytes: config.maxRegistryLayer, signal });
  const refusal = refusalOf(response, 'BLOB_UNKNOWN');
  if (!refusal) return response;
  discard(response.body);
  throw refusal;
}

/**
 * Passes a blob on while it is stored. Its last piece goes out when all of it is known to be right and kept: of anything
 * else the client gets less than it was told of, and nothing is kept. That is also what becomes of a client that leaves.
 */
async function passOn(
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
      // Waits while the client is slower than the other registry.
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
      // Of two who pulled it at once, one keeps it; the other's file goes within a day.
      if (await store.keepBlob(trx, row)) await claim(services, trx, storage_key);
    });
    out.end(last);
  } catch (error) {
    services.log.warn({ error: String(error), digest }, 'a blob of the upstream registry did not come as it should');
    discard(response.body);
    out.destroy(refusalFor(error));
  }
}

/** What the client is told, where it has been told nothing yet. */
function refusalFor(error: unknown): RegistryRefusal {
  if (error instanceof FileMismatch) {
    const message = 'the upstream registry sent other bytes than those of the digest';
    return new RegistryRefusal('DIGEST_INVALID', { status: 502, message });
  }
  if (error instanceof ResponseTooLarge) return new RegistryRefusal('SIZE_INVALID');
  return new RegistryRefusal('UNAVAILABLE', { message: 'the upstream registry broke off' });
}
