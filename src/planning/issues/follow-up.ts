import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { NewIssueParams } from './schema.ts';
import type { IssueRow } from './tables.ts';

/** Merge request threads that are to be resolved in a new issue. */
export interface FollowedThreads {
  readonly iid: number;
  /** ID of one thread; absent for all unresolved threads. */
  readonly discussionId?: string;
}

/** Contributed by the area that has resolvable threads. */
export interface ThreadFollower {
  /** Default description of the issue if the caller sent none. */
  describe(
    services: Services,
    caller: SignedInActor,
    subject: ProjectSubject,
    threads: FollowedThreads,
  ): Promise<string | undefined>;
  /** Resolves those of the threads that the caller may resolve. */
  resolve(
    services: Services,
    trx: Writer,
    caller: SignedInActor,
    subject: ProjectSubject,
    threads: FollowedThreads,
    issue: IssueRow,
  ): Promise<void>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'issues.threadFollower': ThreadFollower;
  }
}

export function followedThreads(params: NewIssueParams): FollowedThreads | undefined {
  const { merge_request_to_resolve_discussions_of: iid, discussion_to_resolve: discussionId } = params;
  return iid === undefined ? undefined : { iid, ...(discussionId !== undefined && { discussionId }) };
}

/** Fills an empty description with the text of the threads that the issue follows up. */
export async function withThreadDescription(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  sent: NewIssueParams,
): Promise<NewIssueParams> {
  const threads = followedThreads(sent);
  if (!threads || sent.description) return sent;
  for (const follower of services.contributions('issues.threadFollower')) {
    const description = await follower.describe(services, caller, subject, threads);
    if (description !== undefined) return { ...sent, description };
  }
  return sent;
}

export async function resolveThreads(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewIssueParams,
  issue: IssueRow,
): Promise<void> {
  const threads = followedThreads(params);
  if (!threads) return;
  for (const follower of services.contributions('issues.threadFollower')) {
    await follower.resolve(services, trx, caller, subject, threads, issue);
  }
}
