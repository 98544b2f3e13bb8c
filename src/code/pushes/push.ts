import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { RefUpdateResult } from '../../platform/git/refs/refs.ts';

/** The way by which a push came: `web` for everything that is not git itself. */
export type Protocol = 'web' | 'http' | 'ssh';

/** A ref that is to move, or has moved; null stands for "does not exist". */
export interface RefChange {
  /** Full name. */
  readonly ref: string;
  readonly old: string | null;
  readonly new: string | null;
}

/** What somebody wants to do to the refs of a project. */
export interface PushRequest {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  readonly changes: readonly RefChange[];
  readonly protocol: Protocol;
  readonly pushOptions?: readonly string[];
  /**
   * `merge` when a merge request lands: on a protected branch the right to merge then suffices. `mirror` for what was
   * pulled from a repository that the project follows: who may move a ref is asked, not how its history came about.
   * `rebase` for commits that were pushed before and now stand elsewhere.
   */
  readonly purpose?: 'push' | 'merge' | 'mirror' | 'rebase';
  /** Commits that some ref leads to already, besides the old tips: what lies on top of them is found without a process. */
  readonly known?: readonly string[];
  /** What is written down together with what is about to happen; should it throw, nothing happens. */
  readonly recordedWith?: (trx: Writer) => Promise<void>;
}

/** A ref that has moved, with what its event tells. */
export interface MovedRef extends RefChange {
  readonly kind: 'branch' | 'tag';
  /** Short name. */
  readonly name: string;
  readonly action: 'created' | 'pushed' | 'removed';
  readonly commitCount: number;
  readonly commitTitle: string | null;
}

/** A push that has happened and is on record. */
export interface Push {
  readonly id: number;
  readonly projectId: number;
  /** Whose push it is; null when a deploy key without an owner pushed. */
  readonly userId: number | null;
  readonly deployKeyId: number | null;
  readonly protocol: Protocol;
  readonly pushOptions: readonly string[];
  readonly refs: readonly MovedRef[];
  /** The push that filled an empty repository. */
  readonly first: boolean;
  readonly at: number;
}

/** The address of the open merge request whose source is a branch, if there is one. */
export type OpenMergeRequest = (services: Services, projectId: number, branch: string) => Promise<string | undefined>;

/** Does what the options of a push by git ask for, and says what of it could not be done. */
export type PushOptionsFollower = (services: Services, push: Push) => Promise<readonly string[]>;

/** A push into a protected project in which nobody looked for secrets, because whoever pushed said so. */
export interface SecretsSkipped {
  readonly project: Project;
  readonly user: User | null;
  /** How they said it. */
  readonly by: 'push option' | 'commit message';
  readonly refs: readonly string[];
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Refs have moved, by git, API or web; told once for each push, in the transaction that records it. */
    'repository.pushed': Push;
    'push.secrets-skipped': SecretsSkipped;
  }
  interface Contributions {
    'pushes.openMergeRequest': OpenMergeRequest;
    'pushes.options': PushOptionsFollower;
  }
}

/** How `moveRefs` ended: everything moved and is on record, or nothing did. */
export type MoveResult =
  | { readonly status: 'ok'; readonly push: Push }
  | Exclude<RefUpdateResult, { readonly status: 'ok' }>;

/** A rule forbids the push; the message is the text that the pusher sees. */
export class PushRefused extends Error {
  override readonly name = 'PushRefused';
}
