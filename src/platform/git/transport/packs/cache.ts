import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../../missing.ts';
import { type Incoming, openIncoming } from '../../../storage/incoming.ts';
import type { GitProcess } from '../../process/command.ts';
import type { Repository } from '../../repository.ts';
import { KeptPack } from './kept-pack.ts';

/** One client's hold on a pack; `leave` must be called once, whatever comes. */
export interface PackReader {
  readonly pack: KeptPack;
  readonly leave: () => void;
}

/** Figures of the cache, for the metrics. */
export interface PackCacheCounters {
  hits: number;
  misses: number;
  bytes: number;
}

export interface PackCacheOptions {
  /** Where the packs lie while they are kept. */
  readonly folder: string;
  /** Bytes of all of them together. */
  readonly budget: number;
  /** How long a pack is kept that nobody asks for. */
  readonly keepMs?: number;
  /** Smaller repositories are packed anew each time, which takes less than finding a kept pack. */
  readonly smallest?: number;
}

interface Entry {
  readonly key: string;
  readonly pack: KeptPack;
  /** Ends the process that makes it. */
  readonly making: AbortController;
  readonly expiry: NodeJS.Timeout;
  readonly made: number;
  /** What it counts for in the budget: what the repository takes while it grows, then what it has. */
  bytes: number;
  /** No longer found, but perhaps still read. */
  forgotten: boolean;
}

/** Starts what makes a pack; `say` gets what it tells of its progress. */
export type StartPacking = (signal: AbortSignal, say: (chunk: Buffer) => void) => Promise<GitProcess>;

const KEEP_MS = 10 * 60_000;
// However often it is asked for: what git has let go of in the meantime must not be had for ever.
const LONGEST_MS = 60 * 60_000;
const SMALLEST = 64 * 1024;

/**
 * The packs that fetches were answered with, each made once for all who ask the same at about the same time. What is
 * asked has passed git's own checks before: the key says which objects, and never who may have them.
 */
export class PackCache {
  readonly counters: PackCacheCounters = { hits: 0, misses: 0, bytes: 0 };
  readonly #options: Required<PackCacheOptions>;
  // In the order of use, longest ago first.
  readonly #entries = new Map<string, Entry>();
  #incoming: Promise<Incoming> | undefined;

  constructor(options: PackCacheOptions) {
    this.#options = { keepMs: KEEP_MS, smallest: SMALLEST, ...options };
  }

  /** The bytes to set aside for a pack of a repository; undefined when its packs are not kept. */
  async worthKeeping(repo: Repository): Promise<number | undefined> {
    const bytes = await packedBytes(repo);
    const { smallest, budget } = this.#options;
    return bytes >= smallest && bytes <= budget ? bytes : undefined;
  }

  /** The pack for a key, begun now or before; undefined while there is no room for it. */
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
    return { pack: entry.pack, leave: () => this.#leave(entry) };
  }

  #known(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || performance.now() - entry.made < LONGEST_MS) return entry;
    this.#forget(entry);
    return undefined;
  }

  #begin(key: string, bytes: number, start: StartPacking): Entry | undefined {
    if (!this.#makeRoom(bytes)) return undefined;
    const pack = new KeptPack(this.#namelessFile());
    const making = new AbortController();
    const expiry = setTimeout(() => this.#expire(entry), this.#options.keepMs).unref();
    const entry: Entry = { key, pack, making, expiry, made: performance.now(), bytes, forgotten: false };
    this.counters.bytes += bytes;
    const starting = start(making.signal, (chunk) => pack.say(chunk));
    void pack.fill(starting).then(() => this.#filled(entry));
    return entry;
  }

  #filled(entry: Entry): void {
    this.counters.bytes += entry.pack.size - entry.bytes;
    entry.bytes = entry.pack.size;
    // Who asks from now on has it made anew; those who wait are told.
    if (entry.pack.state === 'failed') this.#forget(entry);
    this.#releaseUnused(entry);
    this.#makeRoom(0);
  }

  /** One reader fewer. A pack that nobody waits for any more is not made to its end. */
  #leave(entry: Entry): void {
    entry.pack.readers--;
    if (entry.pack.readers === 0 && entry.pack.state === 'growing') {
      this.#forget(entry);
      entry.making.abort();
    }
    this.#releaseUnused(entry);
    this.#makeRoom(0);
  }

  #expire(entry: Entry): void {
    if (entry.pack.readers > 0) entry.expiry.refresh();
    else this.#forget(entry);
  }

  /** Lets go of what was not used for longest until so many bytes are free; false when that does not suffice. */
  #makeRoom(bytes: number): boolean {
    const free = () => this.counters.bytes + bytes <= this.#options.budget;
    for (const entry of this.#entries.values()) {
      if (free()) break;
      if (entry.pack.readers === 0 && entry.pack.state === 'whole') this.#forget(entry);
    }
    return free();
  }

  #forget(entry: Entry): void {
    if (entry.forgotten) return;
    entry.forgotten = true;
    clearTimeout(entry.expiry);
    this.#entries.delete(entry.key);
    this.#releaseUnused(entry);
  }

  #releaseUnused(entry: Entry): void {
    const { pack } = entry;
    if (!entry.forgotten || pack.readers > 0 || pack.state === 'growing') return;
    this.counters.bytes -= entry.bytes;
    entry.bytes = 0;
    void pack.close();
  }

  /** A file without a name: whatever ends the server, nothing of it is left. */
  async #namelessFile() {
    this.#incoming ??= openIncoming(this.#options.folder);
    const incoming = await this.#incoming;
    const path = incoming.take();
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    await incoming.drop(path);
    return file;
  }
}

/** What the packs of a repository take: a pack of anything in it is hardly larger. */
async function packedBytes(repo: Repository): Promise<number> {
  const folder = join(repo.path, 'objects', 'pack');
  const names = (await readdir(folder).catch(ifMissing)) ?? [];
  let bytes = 0;
  for (const name of names) {
    if (name.endsWith('.pack')) bytes += (await stat(join(folder, name)).catch(ifMissing))?.size ?? 0;
  }
  return bytes;
}
