import type { Repository } from './command.ts';
import { type ObjectContents, type ObjectInfo, ObjectReader } from './object-reader.ts';

/** How many reader processes there may be, and how long they stay. */
export interface ReaderLimits {
  /** Over all repositories; the least recently used make room. */
  readonly total: number;
  readonly perRepository: number;
  readonly idleMs: number;
  /** A reader that owes an answer for so long is killed and replaced. */
  readonly stallMs: number;
}

/** Figures of the pool, read by the metrics. */
export interface ReaderCounters {
  readers: number;
  started: number;
  evicted: number;
  requests: number;
}

interface Slot {
  readonly readers: ObjectReader[];
  lastUsed: number;
}

export const DEFAULT_READER_LIMITS: ReaderLimits = { total: 64, perRepository: 2, idleMs: 60_000, stallMs: 30_000 };

// A second reader is worth its process only when requests queue up behind the first.
const CROWDED = 16;

/** Long-lived readers of the repositories in use. */
export class ReaderPool {
  readonly counters: ReaderCounters = { readers: 0, started: 0, evicted: 0, requests: 0 };
  readonly #limits: ReaderLimits;
  readonly #slots = new Map<string, Slot>();
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: ReaderLimits = DEFAULT_READER_LIMITS) {
    this.#limits = limits;
  }

  info(repo: Repository, spec: string): Promise<ObjectInfo> {
    return this.#reader(repo).info(spec);
  }

  contents(repo: Repository, spec: string): Promise<ObjectContents> {
    return this.#reader(repo).contents(spec);
  }

  /** Lets go of a repository's readers: it was deleted, or its quarantine ended. */
  invalidate(repo: Repository): void {
    const slot = this.#slots.get(slotKey(repo));
    if (slot) this.#retire(slotKey(repo), slot);
  }

  /** Ends all readers; what is still asked fails. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const [key, slot] of this.#slots) this.#retire(key, slot);
  }

  #reader(repo: Repository): ObjectReader {
    if (this.#closed) throw new Error('the git readers are closed');
    this.counters.requests++;
    const key = slotKey(repo);
    const slot = this.#slots.get(key) ?? { readers: [], lastUsed: 0 };
    slot.lastUsed = Date.now();
    // Back to the end of the map: its order is the order of last use.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    const idlest = slot.readers.reduce<ObjectReader | undefined>((a, b) => (a && a.load <= b.load ? a : b), undefined);
    if (idlest && (idlest.load < CROWDED || slot.readers.length >= this.#limits.perRepository)) return idlest;
    return this.#open(repo, slot);
  }

  #open(repo: Repository, slot: Slot): ObjectReader {
    for (const [key, oldest] of this.#slots) {
      if (this.counters.readers < this.#limits.total || oldest === slot) break;
      this.#retire(key, oldest);
      this.counters.evicted++;
    }
    const reader = new ObjectReader(repo);
    slot.readers.push(reader);
    this.counters.readers++;
    this.counters.started++;
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(this.#limits.idleMs, 5_000)).unref();
    return reader;
  }

  #retire(key: string, slot: Slot): void {
    this.#slots.delete(key);
    this.counters.readers -= slot.readers.length;
    for (const reader of slot.readers) {
      if (this.#closed) reader.close();
      else reader.retire();
    }
  }

  #sweep(): void {
    const now = Date.now();
    for (const [key, slot] of this.#slots) {
      for (const reader of slot.readers) {
        if (reader.waitingSince > 0 && now - reader.waitingSince > this.#limits.stallMs) reader.replace();
      }
      if (now - slot.lastUsed > this.#limits.idleMs) this.#retire(key, slot);
    }
  }
}

function slotKey(repo: Repository): string {
  return repo.quarantine ? `${repo.path}\0${repo.quarantine.objectDirectory}` : repo.path;
}
