import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { putUnclaimed } from '../../platform/storage/unclaimed.ts';
import type { TrackedEvent } from './event.ts';
import * as store from './store.ts';
import type { EventSummary, StoredSummary } from './summary.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** What a batch can hold at most once decompressed: one event alone may be larger than a batch is meant to be. */
const largestBatch = 16 * 1024 * 1024;

/** An event on its way into a batch. */
export interface NewEvent {
  /** The event as JSON. */
  readonly bytes: Buffer;
  readonly summary: EventSummary;
}

/** The event as it lies in files. */
export function packEvent(event: TrackedEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

/**
 * Writes the events of one project into one file, compressed together: events of one program are much alike, and a
 * compressor made for each took longer than all the rest. Whoever notes the batch in the database claims its file.
 */
export async function writeBatch(
  services: Services,
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
  const packed = await compress(Buffer.concat(events.map(({ bytes }) => bytes)), level);
  await putUnclaimed(services, key, Readable.from([packed]));
  return { projectId, key, size: packed.length, receivedAt: Date.now(), summaries };
}

/** Where an event lies: in a batch, and there once it is decompressed. */
export interface EventLocation {
  readonly batch_id: number;
  readonly position: number;
  readonly length: number;
}

/** The whole event; undefined when its file has just been removed. */
export async function readEvent(
  { db, storage }: Services,
  { batch_id, position, length }: EventLocation,
): Promise<TrackedEvent | undefined> {
  const key = (await store.keysOf(db.read, [batch_id])).get(batch_id);
  if (key === undefined) return undefined;
  try {
    const { stream } = await storage.get(key);
    const events = await decompress(await buffer(stream), { maxOutputLength: largestBatch });
    return JSON.parse(events.toString('utf8', position, position + length));
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
