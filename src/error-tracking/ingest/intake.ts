import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import { claimStoredFile } from '../../platform/storage/unclaimed.ts';
import { scheduleRecording } from '../errors/public.ts';
import { insertBatches, type NewEvent, type WrittenBatch, writeBatch } from '../events/public.ts';
import { IngestRefusal } from './refusal.ts';

const MiB = 1024 * 1024;
const maxEvents = 256;
/** Kept small because reading a single event requires reading its whole batch. */
const maxBytes = 2 * MiB;
/** Maximum bytes waiting to be written, per project and in total. */
const maxPending = 16 * MiB;
const maxPendingTotal = 64 * MiB;

interface PendingEvent extends NewEvent {
  readonly projectId: number;
  accepted(): void;
  refused(error: unknown): void;
}

/**
 * Accepts events and writes them in batches. Events that arrive during a write go into the next batch: under load
 * hundreds of events share one file and one transaction, while a single event is written immediately. An event is
 * accepted once it is durable.
 */
export class Intake {
  readonly #services: Services;
  readonly #pending = new Map<number, PendingEvent[]>();
  readonly #bytes = new Map<number, number>();
  #totalBytes = 0;
  #writing = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Resolves when the event is stored durably. */
  accept(projectId: number, event: NewEvent): Promise<void> {
    const own = (this.#bytes.get(projectId) ?? 0) + event.bytes.length;
    if (own > maxPending || this.#totalBytes > maxPendingTotal) {
      return Promise.reject(new IngestRefusal(503, '503 Service Unavailable'));
    }
    this.#bytes.set(projectId, own);
    this.#totalBytes += event.bytes.length;
    return new Promise((accepted, refused) => {
      const list = this.#pending.get(projectId);
      const entry = { ...event, projectId, accepted, refused };
      if (list) list.push(entry);
      else this.#pending.set(projectId, [entry]);
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#pending.size > 0) {
      const batches = this.#takeBatches();
      await this.#store(batches);
      for (const { projectId, bytes } of batches.flat()) this.#release(projectId, bytes.length);
    }
    this.#writing = false;
  }

  /** Takes one batch per project, so that no project delays the others. */
  #takeBatches(): PendingEvent[][] {
    const batches: PendingEvent[][] = [];
    for (const [projectId, list] of this.#pending) {
      let size = 0;
      let count = 0;
      while (count < Math.min(list.length, maxEvents) && size < maxBytes) size += list[count++]?.bytes.length ?? 0;
      batches.push(list.splice(0, count));
      if (list.length === 0) this.#pending.delete(projectId);
    }
    return batches;
  }

  async #store(batches: readonly PendingEvent[][]): Promise<void> {
    const { db, storage, log } = this.#services;
    const written: { batch: WrittenBatch; events: PendingEvent[] }[] = [];
    await Promise.all(
      batches.map(async (events) => {
        const [first] = events;
        if (!first) return;
        try {
          written.push({ batch: await writeBatch(this.#services, first.projectId, events), events });
        } catch (error) {
          this.#reject(events, error);
        }
      }),
    );
    if (written.length === 0) return;
    fault('error-tracking.written');
    try {
      await db.write(async (trx) => {
        for (const { batch } of written) await claimStoredFile(this.#services, trx, batch.key);
        await insertBatches(
          trx,
          written.map(({ batch }) => batch),
        );
        await scheduleRecording(this.#services, trx);
      });
      fault('error-tracking.accepted');
      for (const { events } of written) for (const event of events) event.accepted();
    } catch (error) {
      for (const { batch, events } of written) {
        this.#reject(events, error);
        await storage
          .delete(batch.key)
          .catch((problem: unknown) => log.error({ err: problem }, 'failed to delete the file of an event batch'));
      }
    }
  }

  #reject(events: readonly PendingEvent[], error: unknown): void {
    this.#services.log.error({ err: error }, 'failed to store events');
    for (const event of events) event.refused(new IngestRefusal(503, '503 Service Unavailable'));
  }

  #release(projectId: number, bytes: number): void {
    this.#totalBytes -= bytes;
    const left = (this.#bytes.get(projectId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(projectId, left);
    else this.#bytes.delete(projectId);
  }
}
