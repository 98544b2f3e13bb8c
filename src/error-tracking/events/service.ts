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
/** Maximum decompressed size of a batch; a single event can be larger than the target size of a batch. */
const maxBatchBytes = 16 * 1024 * 1024;

/** An event to be written to a batch. */
export interface NewEvent {
  /** The event as JSON. */
  readonly bytes: Buffer;
  readonly summary: EventSummary;
}

/** Serializes an event for storage. */
export function packEvent(event: TrackedEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

/**
 * Writes events of one project to a single compressed file. Events of a program are similar, so they compress well
 * together, and creating a compressor per event dominated the cost. The file stays unclaimed until the batch is
 * inserted into the database.
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

/** Location of an event: its batch, and the position in the decompressed file. */
export interface EventLocation {
  readonly batch_id: number;
  readonly position: number;
  readonly length: number;
}

/** Reads an event; undefined if its file has just been deleted. */
export async function readEvent(
  { db, storage }: Services,
  { batch_id, position, length }: EventLocation,
): Promise<TrackedEvent | undefined> {
  const key = (await store.keysOf(db.read, [batch_id])).get(batch_id);
  if (key === undefined) return undefined;
  try {
    const { stream } = await storage.get(key);
    const events = await decompress(await buffer(stream), { maxOutputLength: maxBatchBytes });
    return JSON.parse(events.toString('utf8', position, position + length));
  } catch (error) {
    if (error instanceof FileMissing) return undefined;
    throw error;
  }
}

const batchSize = 100;

/** Deletes batches, rows first, until `find` returns none. `alongside` deletes their events in the same transaction. */
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

/** Deletes batches whose events are all gone. */
export function sweepBatches(services: Services, signal: AbortSignal): Promise<void> {
  return removeBatches(services, () => store.emptyBatches(services.db.read, batchSize), signal);
}

/** Lists batches received before a time, for `removeBatches`. */
export function pastBatches({ db }: Services, before: number) {
  return store.pastBatches(db.read, before, batchSize);
}

/** Lists batches of a project, for `removeBatches`. */
export function batchesOf({ db }: Services, projectId: number) {
  return store.batchesOf(db.read, projectId, batchSize);
}
