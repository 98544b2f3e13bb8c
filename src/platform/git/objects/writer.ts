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

// From this number of objects on, one pack indexed by git is faster than loose files.
const PACK_FROM = 100;
// Larger objects are written to disk immediately, so that a write of many files does not accumulate in memory.
const HELD_BYTES = 256 * 1024;

/** Thrown for an object that git's own checks reject, as they would in a push; the message is git's reason. */
export class UnsoundObjectError extends Error {
  override readonly name = 'UnsoundObjectError';
}

/**
 * The objects of one write. They are collected and flushed together: all are on disk before a ref can name them, and
 * the syncs are shared. Nothing is durable before `flush` returns; without it, `discard` removes everything.
 */
export class ObjectWriter {
  /** Signs the commits of the write, if the server is configured to. */
  readonly sign: ((commit: Buffer) => string) | undefined;
  readonly #repo: Repository;
  readonly #folder: string;
  readonly #written: (object: NewObject) => void;
  readonly #held = new Map<string, NewObject>();
  readonly #staged = new Map<string, StagedFile>();

  /** `written` receives the small flushed objects, because the next write will probably read them. */
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

  /** Adds a blob of any size in constant memory. */
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
   * Makes all objects durable. With `checked`, git validates them first, and those it would reject in a push cause an
   * `UnsoundObjectError`. This takes a process, so it is for objects with user-supplied names or contents that git
   * restricts.
   */
  async flush({ checked = false }: { readonly checked?: boolean } = {}): Promise<void> {
    const held = Array.from(this.#held.values());
    this.#held.clear();
    const packed = checked || held.length >= PACK_FROM;
    // index-pack checks the objects that a pack refers to, so the large ones must be published first.
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

  /** Discards everything that was not flushed. */
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
