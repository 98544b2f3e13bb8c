import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../missing.ts';
import { type Incoming, openIncoming } from '../../../storage/incoming.ts';
import type { GitProcess } from '../../process/command.ts';
import type { Repository } from '../../repository.ts';
import { CachedPack } from './cached-pack.ts';

/** A client's reference to a pack; `release` must be called exactly once. */
export interface PackReader {
  readonly pack: CachedPack;
  readonly release: () => void;
}

/** Cache counters for the metrics. */
export interface PackCacheCounters {
  hits: number;
  misses: number;
  bytes: number;
}

export interface PackCacheOptions {
  /** Folder of the pack files. */
  readonly folder: string;
  /** Maximum total size in bytes. */
  readonly budget: number;
  /** How long an unused pack is kept. */
  readonly keepMs?: number;
  /** Smaller repositories are not cached: packing them takes less time than finding a cached pack. */
  readonly smallest?: number;
}

interface Entry {
  readonly key: string;
  readonly pack: CachedPack;
  /** Cancels the process that creates the pack. */
  readonly cancel: AbortController;
  readonly expiry: NodeJS.Timeout;
  readonly createdAt: number;
  /** Size counted against the budget: an estimate while the pack is being written, then its actual size. */
  bytes: number;
  /** No longer found by new requests, but possibly still being read. */
  evicted: boolean;
}

/** Starts the process that creates a pack; `onProgress` receives its progress messages. */
export type StartPacking = (signal: AbortSignal, onProgress: (chunk: Buffer) => void) => Promise<GitProcess>;

const KEEP_MS = 10 * 60_000;
// Maximum age, even for packs in use: objects that git has pruned meanwhile must not stay available.
const LONGEST_MS = 60 * 60_000;
const SMALLEST = 64 * 1024;

/**
 * Cache of packs sent in response to fetches, shared by all clients that request the same objects at about the same
 * time. Requests have passed git's own checks before: the key identifies objects and grants no access.
 */
export class PackCache {
  readonly counters: PackCacheCounters = { hits: 0, misses: 0, bytes: 0 };
  readonly #options: Required<PackCacheOptions>;
  // Ordered by last use, oldest first.
  readonly #entries = new Map<string, Entry>();
  #incoming: Promise<Incoming> | undefined;

  constructor(options: PackCacheOptions) {
    this.#options = { keepMs: KEEP_MS, smallest: SMALLEST, ...options };
  }

  /** Returns the number of bytes to reserve for a pack of a repository; undefined when its packs are not cached. */
  async bytesToReserve(repo: Repository): Promise<number | undefined> {
    const bytes = await packedBytes(repo);
    const { smallest, budget } = this.#options;
    return bytes >= smallest && bytes <= budget ? bytes : undefined;
  }

  /** Returns the pack for a key, starting it if needed; undefined when there is no room. */
  take(key: string, bytes: number, start: StartPacking): PackReader | undefined {
    const known = this.#known(key);
    if (known) this.counters.hits++;
    else this.counters.misses++;
    const entry = known ?? this.#begin(key, bytes, start);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.expiry.refresh();
    entry.pack.readers++;
    return { pack: entry.pack, release: () => this.#release(entry) };
  }

  #known(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || performance.now() - entry.createdAt < LONGEST_MS) return entry;
    this.#evict(entry);
    return undefined;
  }

  #begin(key: string, bytes: number, start: StartPacking): Entry | undefined {
    if (!this.#makeRoom(bytes)) return undefined;
    const pack = new CachedPack(this.#unlinkedFile());
    const cancel = new AbortController();
    const expiry = setTimeout(() => this.#expire(entry), this.#options.keepMs).unref();
    const entry: Entry = { key, pack, cancel, expiry, createdAt: performance.now(), bytes, evicted: false };
    this.counters.bytes += bytes;
    const starting = start(cancel.signal, (chunk) => pack.addProgress(chunk));
    void pack.fill(starting).then(() => this.#filled(entry));
    return entry;
  }

  #filled(entry: Entry): void {
    this.counters.bytes += entry.pack.size - entry.bytes;
    entry.bytes = entry.pack.size;
    // Later requests recreate a failed pack; current readers get the error.
    if (entry.pack.state === 'failed') this.#evict(entry);
    this.#releaseUnused(entry);
    this.#makeRoom(0);
  }

  /** Removes a reader. A pack without readers is not completed. */
  #release(entry: Entry): void {
    entry.pack.readers--;
    if (entry.pack.readers === 0 && entry.pack.state === 'growing') {
      this.#evict(entry);
      entry.cancel.abort();
    }
    this.#releaseUnused(entry);
    this.#makeRoom(0);
  }

  #expire(entry: Entry): void {
    if (entry.pack.readers > 0) entry.expiry.refresh();
    else this.#evict(entry);
  }

  /** Evicts the least recently used packs until enough bytes are free; false when that is not possible. */
  #makeRoom(bytes: number): boolean {
    const free = () => this.counters.bytes + bytes <= this.#options.budget;
    for (const entry of this.#entries.values()) {
      if (free()) break;
      if (entry.pack.readers === 0 && entry.pack.state === 'whole') this.#evict(entry);
    }
    return free();
  }

  #evict(entry: Entry): void {
    if (entry.evicted) return;
    entry.evicted = true;
    clearTimeout(entry.expiry);
    this.#entries.delete(entry.key);
    this.#releaseUnused(entry);
  }

  #releaseUnused(entry: Entry): void {
    const { pack } = entry;
    if (!entry.evicted || pack.readers > 0 || pack.state === 'growing') return;
    this.counters.bytes -= entry.bytes;
    entry.bytes = 0;
    void pack.close();
  }

  /** Creates an unlinked file: nothing is left over, however the server ends. */
  async #unlinkedFile() {
    this.#incoming ??= openIncoming(this.#options.folder);
    const incoming = await this.#incoming;
    const path = incoming.take();
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    await incoming.drop(path);
    return file;
  }
}

/** Returns the total pack size of a repository: a pack of any of its objects is hardly larger. */
async function packedBytes(repo: Repository): Promise<number> {
  const folder = join(repo.path, 'objects', 'pack');
  const names = (await readdir(folder).catch(ifMissing)) ?? [];
  let bytes = 0;
  for (const name of names) {
    if (name.endsWith('.pack')) bytes += (await stat(join(folder, name)).catch(ifMissing))?.size ?? 0;
  }
  return bytes;
}
