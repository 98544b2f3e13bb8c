import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import type { TrackedEvent } from './event.ts';
import * as store from './store.ts';
import type { EventSummary, StoredSummary } from './summary.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** An event as it is kept is never larger: what came in was cut before. */
const largestEvent = 16 * 1024 * 1024;

/** An event on its way into a batch. */
export interface NewEvent {
  /** Compressed by `packEvent`. */
  readonly bytes: Buffer;
  readonly summary: EventSummary;
}

/** The event as it lies in files; made outside of the main thread. */
export function packEvent(event: TrackedEvent): Promise<Buffer> {
  return compress(Buffer.from(JSON.stringify(event)), level);
}

/**
 * Writes the events of one project into one file, each compressed by itself so that it can be read alone. If the server
 * ends before the batch is noted in the database, the file stays without an owner.
 */
export async function writeBatch(
  { storage }: Services,
  projectId: number,
  events: readonly NewEvent[],
): Promise<store.WrittenBatch> {
  const name = randomBytes(16).toString('hex');
  const key = `error-events/${projectId}/${name.slice(0, 2)}/${name}`;
  const summaries: StoredSummary[] = [];
  let position = 0;
  for (const { bytes, summary } of events) {
    summaries.push({ ...summary, position, length: bytes.length });
    position += bytes.length;
  }
  async function* bytes() {
    for (const event of events) yield event.bytes;
  }
  await storage.put(key, bytes());
  return { projectId, key, size: position, receivedAt: Date.now(), summaries };
}

/** Where an event lies. */
export interface EventPlace {
  readonly batch_id: number;
  readonly position: number;
  readonly length: number;
}

/** The whole event; undefined when its file has just been removed. */
export async function readEvent(
  { db, storage }: Services,
  { batch_id, position, length }: EventPlace,
): Promise<TrackedEvent | undefined> {
  const key = (await store.keysOf(db.read, [batch_id])).get(batch_id);
  if (key === undefined) return undefined;
  try {
    const { stream } = await storage.get(key, { start: position, end: position + length - 1 });
    const text = await decompress(await buffer(stream), { maxOutputLength: largestEvent });
    return JSON.parse(text.toString('utf8'));
  } catch (error) {
    if (error instanceof FileMissing) return undefined;
    throw error;
  }
}

const removedAtOnce = 100;

/** Removes batches, their rows first, until none are found; `alongside` removes in the same transaction what they hold. */
export async function removeBatches(
  { db, storage }: Services,
  find: () => Promise<{ id: number; storage_key: string }[]>,
  signal: AbortSignal,
  alongside: (trx: Writer, ids: readonly number[]) => Promise<void> = async () => {},
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const found = await find();
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    await db.write(async (trx) => {
      await alongside(trx, ids);
      await store.deleteBatches(trx, ids);
    });
    for (const { storage_key } of found) await storage.delete(storage_key);
  }
}

/** Removes the files of which nothing is wanted any more. */
export function sweepBatches(services: Services, signal: AbortSignal): Promise<void> {
  return removeBatches(services, () => store.emptyBatches(services.db.read, removedAtOnce), signal);
}

/** Some batches that came in before an instant, for `removeBatches`. */
export function pastBatches({ db }: Services, before: number) {
  return store.pastBatches(db.read, before, removedAtOnce);
}

/** Some batches of a project, for `removeBatches`. */
export function batchesOf({ db }: Services, projectId: number) {
  return store.batchesOf(db.read, projectId, removedAtOnce);
}
