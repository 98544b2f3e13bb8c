import type { Repository } from '../repository.ts';

/** A long-lived git process that serves one repository. */
export interface Resident {
  /** The number of unanswered requests. */
  readonly load: number;
  /** When the oldest unanswered request was sent; 0 if there is none. */
  readonly waitingSince: number;
  /** Kills a process that hangs. */
  replace(): void;
  /** Ends the process once it has answered everything; no more requests may follow. */
  retire(): void;
  /** Kills the process; pending requests fail. */
  close(): void;
}

/** Limits on the number and lifetime of processes. */
export interface ResidentLimits {
  /** Over all repositories; the least recently used are evicted. */
  readonly total: number;
  readonly perRepository: number;
  /** Start another process once this many requests queue up behind each; 16 by default. */
  readonly crowded?: number;
  readonly idleMs: number;
  /** Kill a process that has not answered for this long. */
  readonly stallMs: number;
}

/** Counters of a pool, for the metrics. */
export interface ResidentCounters {
  processes: number;
  started: number;
  evicted: number;
  requests: number;
}

interface Slot<R> {
  readonly residents: R[];
  lastUsed: number;
}

// A second process is only worth starting when requests queue up behind the first.
const CROWDED = 16;

/** Long-lived processes for the repositories in use: bounded, ended when idle, replaced when stuck. */
export class ResidentPool<R extends Resident> {
  readonly counters: ResidentCounters = { processes: 0, started: 0, evicted: 0, requests: 0 };
  readonly #limits: ResidentLimits;
  readonly #create: (repo: Repository) => R;
  // In the order of last use.
  readonly #slots = new Map<string, Slot<R>>();
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: ResidentLimits, create: (repo: Repository) => R) {
    this.#limits = limits;
    this.#create = create;
  }

  /** Returns a process that serves a repository, starting one if needed. */
  get(repo: Repository): R {
    if (this.#closed) throw new Error('the git processes are closed');
    this.counters.requests++;
    const slot = this.#touch(slotKey(repo));
    const idlest = slot.residents.reduce<R | undefined>((a, b) => (a && a.load <= b.load ? a : b), undefined);
    const { crowded = CROWDED, perRepository } = this.#limits;
    if (idlest && (idlest.load < crowded || slot.residents.length >= perRepository)) return idlest;
    return this.#open(repo, slot);
  }

  /** Ends the processes of a repository that was deleted or whose quarantine ended. */
  invalidate(repo: Repository): void {
    const slot = this.#slots.get(slotKey(repo));
    if (slot) this.#retire(slotKey(repo), slot);
  }

  /** Ends all processes; pending requests fail. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const [key, slot] of this.#slots) this.#retire(key, slot);
  }

  #touch(key: string): Slot<R> {
    const slot = this.#slots.get(key) ?? { residents: [], lastUsed: 0 };
    slot.lastUsed = Date.now();
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    return slot;
  }

  #open(repo: Repository, slot: Slot<R>): R {
    for (const [key, oldest] of this.#slots) {
      if (this.counters.processes < this.#limits.total || oldest === slot) break;
      this.#retire(key, oldest);
      this.counters.evicted++;
    }
    const resident = this.#create(repo);
    slot.residents.push(resident);
    this.counters.processes++;
    this.counters.started++;
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(this.#limits.idleMs, 5_000)).unref();
    return resident;
  }

  #retire(key: string, slot: Slot<R>): void {
    this.#slots.delete(key);
    this.counters.processes -= slot.residents.length;
    for (const resident of slot.residents) {
      if (this.#closed) resident.close();
      else resident.retire();
    }
  }

  #sweep(): void {
    const now = Date.now();
    for (const [key, slot] of this.#slots) {
      for (const resident of slot.residents) {
        if (resident.waitingSince > 0 && now - resident.waitingSince > this.#limits.stallMs) resident.replace();
      }
      if (now - slot.lastUsed > this.#limits.idleMs) this.#retire(key, slot);
    }
  }
}

function slotKey(repo: Repository): string {
  return repo.quarantine ? `${repo.path}\0${repo.quarantine.objectDirectory}` : repo.path;
}
