import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Pace } from '../../concurrency.ts';
import { run } from '../process/command.ts';
import { STRICT_FLAG } from '../process/environment.ts';
import { GitError } from '../process/errors.ts';
import type { Repository } from '../repository.ts';
import { packStream } from '../transport/pack-stream.ts';
import { spoolBlob } from './blob-spool.ts';
import {
  type NewObject,
  newObject,
  objectFolder,
  publishStaged,
  refreshLoose,
  type StagedFile,
  stageLoose,
} from './loose-object.ts';
import type { ObjectType } from './object.ts';

// From here on one pack, indexed by git, takes less time than as many files.
const PACK_FROM = 100;
// Larger objects go to disk at once, so that a write of many files does not add up in memory.
const HELD_BYTES = 256 * 1024;

/** An object that git's own checks refuse, as they would in a push; the message says why. */
export class UnsoundObjectError extends Error {
  override readonly name = 'UnsoundObjectError';
}

/**
 * The objects of one write. They are collected, then flushed together: all are on disk before any ref may name them,
 * and the syncs are shared. Until `flush` returns nothing is durable; without it, `discard` leaves no trace.
 */
export class ObjectWriter {
  /** Signs the commits of the write, where the server does so. */
  readonly sign: ((commit: Buffer) => string) | undefined;
  readonly #repo: Repository;
  readonly #folder: string;
  readonly #written: (object: NewObject) => void;
  readonly #held = new Map<string, NewObject>();
  readonly #staged = new Map<string, StagedFile>();

  /** `written` is told of the small objects that were flushed: the next write will want to read them. */
  constructor(
    repo: Repository,
    written: (object: NewObject) => void = () => {},
    sign: ((commit: Buffer) => string) | undefined = undefined,
  ) {
    this.sign = sign;
    this.#repo = repo;
    this.#folder = objectFolder(repo);
    this.#written = written;
  }

  /** Adds an object and returns its id. */
  async add(type: ObjectType, data: Buffer): Promise<string> {
    const object = newObject(type, data);
    if (data.length <= HELD_BYTES) this.#held.set(object.oid, object);
    else if (!this.#staged.has(object.oid)) this.#staged.set(object.oid, await stageLoose(this.#folder, object));
    return object.oid;
  }

  /** Adds a blob of any size with constant memory. */
  async addBlobStream(
    source: Readable,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<{ readonly oid: string; readonly size: number }> {
    const { oid, size, file } = await spoolBlob(this.#folder, source, limit);
    if (this.#staged.has(oid)) await rm(file.from, { force: true });
    else this.#staged.set(oid, file);
    return { oid, size };
  }

  /**
   * Makes all objects durable under their ids. `checked`: git looks at them first, and what it would refuse in a push
   * is an `UnsoundObjectError`; that takes a process, so it is for those whose names or contents git cares about.
   */
  async flush({ checked = false }: { readonly checked?: boolean } = {}): Promise<void> {
    const held = Array.from(this.#held.values());
    this.#held.clear();
    const packed = checked || held.length >= PACK_FROM;
    // Git looks for what the objects of a pack name: the large ones have to be where they belong.
    if (packed) await this.#publish();
    if (packed) await this.#pack(held);
    else await this.#stage(held);
    await this.#publish();
    const pace = new Pace();
    for (const object of held) {
      await pace.turn();
      this.#written(object);
    }
  }

  async #publish(): Promise<void> {
    const staged = Array.from(this.#staged.values());
    await publishStaged(this.#folder, staged);
    this.#staged.clear();
  }

  /** Forgets everything that was not flushed. */
  async discard(): Promise<void> {
    this.#held.clear();
    await Promise.all(Array.from(this.#staged.values(), ({ from }) => rm(from, { force: true })));
    this.#staged.clear();
  }

  async #stage(objects: readonly NewObject[]): Promise<void> {
    await Promise.all(
      objects.map(async (object) => {
        if (await refreshLoose(this.#folder, object.oid)) return;
        this.#staged.set(object.oid, await stageLoose(this.#folder, object));
      }),
    );
  }

  async #pack(objects: readonly NewObject[]): Promise<void> {
    const stdin = Readable.from(packStream(objects), { objectMode: false });
    await run(this.#repo, { name: 'index-pack', flags: ['--stdin', STRICT_FLAG] }, { stdin }).catch(refuse);
  }
}

function refuse(error: unknown): never {
  const [, reason] = (error instanceof GitError && /^error: object [0-9a-f]+: (.*)$/m.exec(error.stderr)) || [];
  throw reason === undefined ? error : new UnsoundObjectError(reason);
}
