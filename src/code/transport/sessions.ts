import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { largestPush } from '../../access/application-settings/effective.ts';
import type { Services } from '../../access/services.ts';
import { KeyedLimiter, type Limits } from '../../platform/concurrency.ts';
import { GitBusyError } from '../../platform/git/process/errors.ts';
import { Advertiser } from '../../platform/git/transport/advertisement.ts';
import { installHooks } from '../../platform/git/transport/hooks.ts';
import { receivePack } from '../../platform/git/transport/receive.ts';
import {
  type GitService,
  type Session,
  type SessionResult,
  uploadArchive,
  uploadPack,
} from '../../platform/git/transport/transport.ts';
import { recordFetches } from '../fetch-statistics/public.ts';
import { receivePush } from '../pushes/public.ts';
import type { NonProjectAccess } from './non-project-repositories.ts';
import type { GitAccess } from './service.ts';

/**
 * Counts fetches in the background, so that no session waits for the database. Counts that arrive during a write are
 * written with the next one.
 */
class FetchCounter {
  readonly #services: Services;
  #counts = new Map<number, number>();
  #writing: Promise<void> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  add(projectId: number): void {
    this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + 1);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything counted so far has been written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#counts.size > 0) {
      const counts = this.#counts;
      this.#counts = new Map();
      await recordFetches(this.#services.db, counts).catch((error: unknown) => {
        this.#services.log.error({ err: error }, 'failed to record fetches');
      });
    }
    this.#writing = undefined;
  }
}

/** Access to a project's repository or to another kind of repository. */
export type AnyAccess = GitAccess | NonProjectAccess;

const ofProject = (access: AnyAccess): access is GitAccess => 'subject' in access;

/** Runs git sessions of clients over HTTP and SSH. */
export class GitSessions {
  readonly #services: Services;
  readonly #limiter: KeyedLimiter;
  readonly #limits: Limits;
  readonly #fetches: FetchCounter;
  readonly #advertiser: Advertiser;
  #hooksPath: Promise<string> | undefined;

  constructor(services: Services) {
    this.#services = services;
    const running = services.config.gitPerRepository;
    this.#limits = { running, waiting: running * 4 };
    this.#limiter = new KeyedLimiter(() => new GitBusyError('too many git processes are waiting'));
    this.#fetches = new FetchCounter(services);
    this.#advertiser = new Advertiser((repo) => services.git.listRefs(repo, 'refs/'));
  }

  /** Sends the ref advertisement for `info/refs`. */
  advertise(
    access: AnyAccess,
    service: GitService,
    options: { readonly protocol?: string; readonly signal: AbortSignal; readonly output: Writable },
  ): Promise<void> {
    return this.#inTurn(access, options.signal, () =>
      pipeline(this.#advertiser.advertise(access.repo, service, options), options.output),
    );
  }

  /** Serves a fetch or clone. Counted when a pack is sent, not when only the refs are listed. */
  fetch(access: AnyAccess, session: Session): Promise<SessionResult> {
    const onPack = () => {
      if (ofProject(access)) this.#fetches.add(access.subject.project.id);
    };
    return this.#inTurn(access, session.signal, async () => {
      const packs = { cache: this.#services.git.packs, hooksPath: await this.#hooks() };
      return uploadPack(access.repo, { ...session, onPack }, packs);
    });
  }

  archive(access: AnyAccess, session: Session): Promise<SessionResult> {
    return this.#inTurn(access, session.signal, () => uploadArchive(access.repo, session));
  }

  #hooks(): Promise<string> {
    this.#hooksPath ??= installHooks(join(this.#services.config.data, 'git'));
    return this.#hooksPath;
  }

  /** Limits the concurrent sessions per repository, so that a popular one cannot use up all processes. */
  #inTurn<T>({ repo }: AnyAccess, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#limiter.run(repo.path, this.#limits, work, signal);
  }

  /** Resolves when all fetches so far are counted. */
  settled(): Promise<void> {
    return this.#fetches.settled();
  }

  /** Serves a push, with the same checks and records as any other ref update. */
  push(access: AnyAccess, session: Session): Promise<SessionResult> {
    return this.#inTurn(access, session.signal, async () => {
      const { config, settings } = this.#services;
      const push = ofProject(access)
        ? receivePush(this.#services, access, access.remarks)
        : { hooks: access.hooks, settled: async () => {} };
      try {
        const hooksPath = await this.#hooks();
        const { hooks } = push;
        const maxInputBytes = largestPush(config, await settings.read());
        const result = await receivePack(access.repo, { ...session, hooksPath, hooks, maxInputBytes });
        if (result.failure !== undefined) this.#services.log.error({ err: result.failure }, 'failed to check a push');
        return result;
      } finally {
        await push.settled();
      }
    });
  }
}
