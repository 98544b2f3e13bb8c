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
 * Counts fetches beside the conversations: nobody waits for the database. What comes while one lot is being written is
 * written with the next.
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

  /** Resolves when everything counted so far is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#counts.size > 0) {
      const counts = this.#counts;
      this.#counts = new Map();
      await recordFetches(this.#services.db, counts).catch((error: unknown) => {
        this.#services.log.error({ err: error }, 'fetches could not be counted');
      });
    }
    this.#writing = undefined;
  }
}

/** To a project's own repository, or to one beside. */
export type AnyAccess = GitAccess | NonProjectAccess;

const ofProject = (access: AnyAccess): access is GitAccess => 'subject' in access;

/** The conversations between clients and git, over HTTP and SSH alike. */
export class GitSessions {
  readonly #services: Services;
  readonly #conversations: KeyedLimiter;
  readonly #limits: Limits;
  readonly #fetches: FetchCounter;
  readonly #advertiser: Advertiser;
  #hooksPath: Promise<string> | undefined;

  constructor(services: Services) {
    this.#services = services;
    const running = services.config.gitPerRepository;
    this.#limits = { running, waiting: running * 4 };
    this.#conversations = new KeyedLimiter(() => new GitBusyError('too many git processes are waiting'));
    this.#fetches = new FetchCounter(services);
    this.#advertiser = new Advertiser((repo) => services.git.listRefs(repo, 'refs/'));
  }

  /** What a repository has to offer, for `info/refs`. */
  advertise(
    access: AnyAccess,
    service: GitService,
    options: { readonly protocol?: string; readonly signal: AbortSignal; readonly output: Writable },
  ): Promise<void> {
    return this.#inTurn(access, options.signal, () =>
      pipeline(this.#advertiser.advertise(access.repo, service, options), options.output),
    );
  }

  /** A fetch or a clone, counted when it gets objects: asking for the refs is none. */
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

  /** One popular repository must not take all the processes that the server may start: so many of it at once. */
  #inTurn<T>({ repo }: AnyAccess, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#conversations.run(repo.path, this.#limits, work, signal);
  }

  /** Resolves when the fetches so far are counted. */
  settled(): Promise<void> {
    return this.#fetches.settled();
  }

  /** A push: checked, recorded and told of by the same path as every other change of a ref. */
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
        if (result.failure !== undefined)
          this.#services.log.error({ err: result.failure }, 'a push could not be checked');
        return result;
      } finally {
        await push.settled();
      }
    });
  }
}
