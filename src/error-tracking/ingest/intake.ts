import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import { claim } from '../../platform/storage/unclaimed.ts';
import { scheduleRecording } from '../errors/public.ts';
import { insertBatches, type NewEvent, type WrittenBatch, writeBatch } from '../events/public.ts';
import { IngestRefusal } from './refusal.ts';

const MiB = 1024 * 1024;
const maxEvents = 256;
/** Whoever looks at one event reads its whole batch. */
const maxBytes = 2 * MiB;
/** What may wait to be written, of one project and of all. */
const maxWaiting = 16 * MiB;
const maxWaitingOfAll = 64 * MiB;

interface Waiting extends NewEvent {
  readonly projectId: number;
  accepted(): void;
  refused(error: unknown): void;
}

/**
 * Takes events in. What arrives while a batch is being written goes into the next: under a flood hundreds of events
 * share one file and one transaction, and alone an event waits for nobody. An event is accepted when it is on disk.
 */
export class Intake {
  readonly #services: Services;
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #bytes = new Map<number, number>();
  #allBytes = 0;
  #writing = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Resolves when the event cannot be lost any more. */
  accept(projectId: number, event: NewEvent): Promise<void> {
    const own = (this.#bytes.get(projectId) ?? 0) + event.bytes.length;
    if (own > maxWaiting || this.#allBytes > maxWaitingOfAll) {
      return Promise.reject(new IngestRefusal(503, '503 Service Unavailable'));
    }
    this.#bytes.set(projectId, own);
    this.#allBytes += event.bytes.length;
    return new Promise((accepted, refused) => {
      const list = this.#waiting.get(projectId);
      const entry = { ...event, projectId, accepted, refused };
      if (list) list.push(entry);
      else this.#waiting.set(projectId, [entry]);
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.size > 0) {
      const batches = this.#take();
      await this.#store(batches);
      for (const { projectId, bytes } of batches.flat()) this.#forget(projectId, bytes.length);
    }
    this.#writing = false;
  }

  /** One batch of each project, so that none waits for the flood of another. */
  #take(): Waiting[][] {
    const batches: Waiting[][] = [];
    for (const [projectId, list] of this.#waiting) {
      let size = 0;
      let count = 0;
      while (count < Math.min(list.length, maxEvents) && size < maxBytes) size += list[count++]?.bytes.length ?? 0;
      batches.push(list.splice(0, count));
      if (list.length === 0) this.#waiting.delete(projectId);
    }
    return batches;
  }

  async #store(batches: readonly Waiting[][]): Promise<void> {
    const { db, storage, log } = this.#services;
    const written: { batch: WrittenBatch; events: Waiting[] }[] = [];
    await Promise.all(
      batches.map(async (events) => {
        const [first] = events;
        if (!first) return;
        try {
          written.push({ batch: await writeBatch(this.#services, first.projectId, events), events });
        } catch (error) {
          this.#refuse(events, error);
        }
      }),
    );
    if (written.length === 0) return;
    fault('error-tracking.written');
    try {
      await db.write(async (trx) => {
        for (const { batch } of written) await claim(this.#services, trx, batch.key);
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
        this.#refuse(events, error);
        await storage.delete(batch.key).catch((problem: unknown) => log.error({ err: problem }, 'a file is left over'));
      }
    }
  }

  #refuse(events: readonly Waiting[], error: unknown): void {
    this.#services.log.error({ err: error }, 'events could not be stored');
    for (const event of events) event.refused(new IngestRefusal(503, '503 Service Unavailable'));
  }

  #forget(projectId: number, bytes: number): void {
    this.#allBytes -= bytes;
    const left = (this.#bytes.get(projectId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(projectId, left);
    else this.#bytes.delete(projectId);
  }
}
