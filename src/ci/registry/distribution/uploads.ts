import { randomBytes, randomUUID } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import type { StoredFile } from '../../../platform/storage/storage.ts';
import { removeFilesSoon } from '../cleanup/files.ts';
import type { UploadRow } from '../tables.ts';
import { isDigest } from './names.ts';
import { RegistryRefusal } from './refusal.ts';
import type { Access } from './rights.ts';
import * as store from './store.ts';

const day = 24 * 60 * 60 * 1000;
/** Each chunk of an upload is a separate file in the storage. */
const maxChunks = 10_000;

const digestOf = ({ sha256 }: Pick<StoredFile, 'sha256'>) => `sha256:${sha256}`;

export function checkDigest(digest: unknown): string {
  if (typeof digest === 'string' && isDigest(digest)) return digest;
  throw new RegistryRefusal('DIGEST_INVALID', { message: 'the digest must be sha256 with 64 hexadecimal digits' });
}

/** Starts an upload. */
export async function startUpload({ db }: Services, access: Access, name: string): Promise<UploadRow> {
  const now = Date.now();
  const row = { id: randomUUID(), project_id: access.subject.project.id, name, received: 0, chunks: 0 };
  const upload = { ...row, created_at: now, updated_at: now };
  await db.write((trx) => store.insertUpload(trx, upload));
  return upload;
}

export async function requireUpload({ db }: Services, access: Access, name: string, id: string): Promise<UploadRow> {
  const upload = await store.findUpload(db.read, { id, projectId: access.subject.project.id, name });
  if (!upload) throw new RegistryRefusal('BLOB_UPLOAD_UNKNOWN');
  return upload;
}

/** Streams bytes into a new file, which is removed again unless a row refers to it later. */
async function storeFile(
  { db, storage, config }: Services,
  body: AsyncIterable<Uint8Array>,
  { before = 0, digest }: { readonly before?: number; readonly digest?: string } = {},
) {
  const random = randomBytes(16).toString('hex');
  const storage_key = `registry/${random.slice(0, 2)}/${random.slice(2)}`;
  await db.write((trx) => store.scheduleFileRemoval(trx, [storage_key], Date.now() + day));
  const expected = digest === undefined ? {} : { expectedSha256: digest.slice('sha256:'.length) };
  const stored = await storage.put(storage_key, body, { ...expected, maxSize: config.maxRegistryLayer - before });
  return { storage_key, size: stored.size, sha256: stored.sha256 };
}

const rangeMismatch = (upload: UploadRow, name: string) =>
  new RegistryRefusal('RANGE_INVALID', { headers: uploadHeaders(upload, name) });

/** Location and progress of an upload. */
export function uploadHeaders(upload: Pick<UploadRow, 'id' | 'received'>, name: string): Record<string, string> {
  return {
    location: `/v2/${name}/blobs/uploads/${upload.id}`,
    range: `0-${Math.max(0, upload.received - 1)}`,
    'docker-upload-uuid': upload.id,
  };
}

/** Checks that a chunk continues at the current offset of the upload. */
function checkOffset(upload: UploadRow, name: string, range: string | undefined, length: string | undefined): void {
  if (range === undefined) return;
  const match = /^(?:bytes )?(\d{1,15})-(\d{1,15})$/.exec(range);
  const [start, end] = [Number(match?.[1]), Number(match?.[2])];
  const sized = length === undefined || end - start + 1 === Number(length);
  if (!match || end < start || start !== upload.received || !sized) throw rangeMismatch(upload, name);
}

interface UploadChunk {
  readonly body: AsyncIterable<Uint8Array>;
  readonly range?: string | undefined;
  readonly length?: string | undefined;
}

/** Appends a chunk to an upload. Of several concurrent chunks only one is accepted. */
export async function appendChunk(services: Services, upload: UploadRow, { body, range, length }: UploadChunk) {
  checkOffset(upload, upload.name, range, length);
  if (upload.chunks >= maxChunks) throw new RegistryRefusal('BLOB_UPLOAD_INVALID', { message: 'too many chunks' });
  const stored = await storeFile(services, body, { before: upload.received });
  if (stored.size === 0) return upload;
  const added = await services.db.write((trx) => store.addChunk(trx, upload, stored));
  if (!added) throw rangeMismatch(upload, upload.name);
  return { ...upload, received: upload.received + stored.size, chunks: upload.chunks + 1 };
}

/** Completes an upload with its last chunk and links the blob to the project. Throws if the digest does not match. */
export async function finishUpload(
  services: Services,
  upload: UploadRow,
  digest: string,
  chunk: UploadChunk,
): Promise<void> {
  checkOffset(upload, upload.name, chunk.range, chunk.length);
  const chunks = await store.chunksOf(services.db.read, upload.id);
  const remainder = await startOf(chunk.body);
  const [only] = chunks;
  // The common case: one chunk with all bytes, then the digest. The chunk's file becomes the blob.
  const whole = chunks.length === 1 && remainder === undefined ? only : undefined;
  if (whole && digestOf(whole) !== digest) throw new RegistryRefusal('DIGEST_INVALID');
  const file =
    whole ??
    (await storeFile(
      services,
      concatenate(
        services,
        chunks.map(({ storage_key }) => storage_key),
        remainder,
      ),
      { digest },
    ));
  await services.db.write(async (trx) => {
    if (!(await store.endUpload(trx, upload, file.storage_key))) throw rangeMismatch(upload, upload.name);
    await linkStoredBlob(trx, upload.project_id, digest, file);
    await removeFilesSoon(services, trx);
  });
}

/** Uploads a complete blob in one request. */
export async function storeWhole(
  services: Services,
  access: Access,
  digest: string,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await storeFile(services, body, { digest });
  await services.db.write(async (trx) => {
    await linkStoredBlob(trx, access.subject.project.id, digest, file);
    await removeFilesSoon(services, trx);
  });
}

type Trx = Parameters<typeof store.cancelFileRemoval>[0];

async function linkStoredBlob(
  trx: Trx,
  projectId: number,
  digest: string,
  file: { storage_key: string; size: number },
) {
  const { storage_key, size } = file;
  const blob = await store.ensureBlob(trx, { digest, size, storage_key, created_at: Date.now() });
  await store.linkBlob(trx, projectId, blob);
  // The blob exists already: the duplicate file is removed.
  if (blob.storage_key === storage_key) await store.cancelFileRemoval(trx, storage_key);
  else await store.scheduleFileRemoval(trx, [storage_key]);
}

export async function cancelUpload(services: Services, upload: UploadRow): Promise<void> {
  await services.db.write(async (trx) => {
    if (!(await store.endUpload(trx, upload))) throw new RegistryRefusal('BLOB_UPLOAD_UNKNOWN');
    await removeFilesSoon(services, trx);
  });
}

/** Returns the body with its first bytes already read; undefined if it is empty. */
async function startOf(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return undefined;
  return (async function* () {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  })();
}

async function* concatenate(
  { storage }: Services,
  keys: readonly string[],
  remainder: AsyncIterable<Uint8Array> | undefined,
): AsyncIterable<Uint8Array> {
  for (const key of keys) yield* (await storage.get(key)).stream as AsyncIterable<Uint8Array>;
  if (remainder) yield* remainder;
}
