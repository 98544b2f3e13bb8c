import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type GitProcess, spawnResident } from '../../process/command.ts';
import type { GitConfig } from '../../process/environment.ts';
import type { Repository } from '../../repository.ts';
import { relay } from '../relay.ts';
import type { PackCache, StartPacking } from './cache.ts';
import { PACK_HOOK, PackHookReader, type PackRequest } from './hook.ts';

/** The pack cache, and the hook that connects `upload-pack` to it. */
export interface PackSource {
  readonly cache: PackCache;
  readonly hooksPath: string;
}

// Over a million ids, as in the requests of a fetch.
const MAX_REVISION_BYTES = 128 * 1024 * 1024;

/**
 * Makes `upload-pack` request its packs from the server. git reads this setting from its environment only, never from a
 * repository.
 */
export function packHookConfig(hooksPath: string): GitConfig {
  // The value is interpreted by a shell.
  const quoted = join(hooksPath, PACK_HOOK).replaceAll("'", "'\\''");
  return { 'uploadpack.packObjectsHook': `'${quoted}'` };
}

/** Serves the pack-objects hook of one `upload-pack`. */
export class PackHookHandler {
  /** Why sending the pack failed. */
  failure: unknown;
  readonly #repo: Repository;
  readonly #cache: PackCache;
  readonly #bytes: number;

  constructor(repo: Repository, cache: PackCache, bytes: number) {
    this.#repo = repo;
    this.#cache = cache;
    this.#bytes = bytes;
  }

  handle(git: GitProcess): void {
    const [talk, progress] = git.fds;
    if (!talk || !progress) throw new Error('git upload-pack has no hook pipes');
    const reader = new PackHookReader(MAX_REVISION_BYTES);
    let answered = false;
    const giveUp = (error: unknown) => {
      this.failure = error;
      git.kill();
    };
    progress.resume();
    talk.on('data', (chunk: Buffer) => {
      // A second fetch in the same session: its hook gets no answer and runs git pack-objects itself.
      if (answered) return;
      try {
        const message = reader.push(chunk);
        if (message === 'command') talk.write('pack\n');
        if (message === 'command' || message === 'more') return;
        answered = true;
        if (message === 'unknown') talk.end();
        else this.#send(message, talk, progress).catch(giveUp);
      } catch (error) {
        answered = true;
        giveUp(error);
      }
    });
  }

  async #send(request: PackRequest, talk: Duplex, progress: Duplex): Promise<void> {
    const onProgress = (chunk: Buffer) => progress.write(chunk);
    const disconnected = new AbortController();
    const onDisconnect = () => disconnected.abort();
    const start = packing(this.#repo, request);
    const reader = this.#cache.take(keyOf(this.#repo, request), this.#bytes, start);
    if (reader) {
      const stop = reader.pack.follow(onProgress);
      try {
        await relay(reader.pack.read(disconnected.signal), talk, onDisconnect);
      } finally {
        stop();
        reader.release();
      }
    } else {
      const git = await start(disconnected.signal, onProgress);
      await relay(git.stdout, talk, onDisconnect);
      if (!disconnected.signal.aborted) await git.done;
    }
    talk.end();
    progress.end();
  }
}

/**
 * Starts the command of a request. The number of processes is bounded by that of `upload-pack`, which would have
 * started the command itself.
 */
function packing(repo: Repository, request: PackRequest): StartPacking {
  const env = request.shallow ? { GIT_SHALLOW_FILE: '' } : undefined;
  return async (signal, onStderr) =>
    spawnResident(repo, request.command, { stdin: request.revisions, onStderr, env, signal });
}

function keyOf(repo: Repository, { command, revisions, shallow }: PackRequest): string {
  const digest = createHash('sha256').update(JSON.stringify([repo.path, command.flags, shallow]));
  return digest.update('\0').update(revisions).digest('base64url');
}
