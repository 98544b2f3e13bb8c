import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { RefUpdateResult } from '../../platform/git/refs/refs.ts';

/** How a push was made; `web` includes the API. */
export type Protocol = 'web' | 'http' | 'ssh';

/** A ref update; null means that the ref does not exist. */
export interface RefChange {
  /** Full ref name. */
  readonly ref: string;
  readonly old: string | null;
  readonly new: string | null;
}

/** Requested ref updates of a project. */
export interface PushRequest {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  readonly changes: readonly RefChange[];
  readonly protocol: Protocol;
  readonly pushOptions?: readonly string[];
  /**
   * `merge` for merging a merge request: the permission to merge suffices on protected branches. `mirror` for updates
   * from a pull mirror: only the permission to update the ref is checked, not the commits. `rebase` for rewritten
   * commits that were checked before.
   */
  readonly purpose?: 'push' | 'merge' | 'mirror' | 'rebase';
  /**
   * Commits already reachable from refs, besides the old tips. New commits on top of them are found without a process.
   */
  readonly known?: readonly string[];
  /** Runs in the transaction that records the intent. If it throws, nothing is changed. */
  readonly recordedWith?: (trx: Writer) => Promise<void>;
}

/** An updated ref with the data of its event. */
export interface MovedRef extends RefChange {
  readonly kind: 'branch' | 'tag';
  /** Short name. */
  readonly name: string;
  readonly action: 'created' | 'pushed' | 'removed';
  readonly commitCount: number;
  readonly commitTitle: string | null;
}

/** A recorded push. */
export interface Push {
  readonly id: number;
  readonly projectId: number;
  /** The user who pushed; null for a deploy key without an owner. */
  readonly userId: number | null;
  readonly deployKeyId: number | null;
  readonly protocol: Protocol;
  readonly pushOptions: readonly string[];
  readonly refs: readonly MovedRef[];
  /** Whether the push initialized an empty repository. */
  readonly first: boolean;
  readonly at: number;
}

/** Returns the URL of the open merge request of a source branch, if any. */
export type OpenMergeRequest = (services: Services, projectId: number, branch: string) => Promise<string | undefined>;

/** Applies the push options of a git push. Returns error messages. */
export type PushOptionsHandler = (services: Services, push: Push) => Promise<readonly string[]>;

/** A push to a protected project with secret push protection skipped by the pusher. */
export interface SecretsSkipped {
  readonly project: Project;
  readonly user: User | null;
  /** How it was skipped. */
  readonly by: 'push option' | 'commit message';
  readonly refs: readonly string[];
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** Refs were updated by git, API or web. Announced once per push, in the transaction that records it. */
    'repository.pushed': Push;
    'push.secrets-skipped': SecretsSkipped;
  }
  interface Contributions {
    'pushes.openMergeRequest': OpenMergeRequest;
    'pushes.options': PushOptionsHandler;
  }
}

/** The result of `moveRefs`: everything was updated and recorded, or nothing was. */
export type MoveResult =
  | { readonly status: 'ok'; readonly push: Push }
  | Exclude<RefUpdateResult, { readonly status: 'ok' }>;

/** A push rejected by a rule; the message is shown to the pusher. */
export class PushRefused extends Error {
  override readonly name = 'PushRefused';
}
