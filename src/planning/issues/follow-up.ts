import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { NewIssueParams } from './schema.ts';
import type { IssueRow } from './tables.ts';

/** The threads of a merge request that are to go on in an issue. */
export interface FollowedThreads {
  readonly iid: number;
  /** One of them; all that are open where none is named. */
  readonly discussionId?: string;
}

/** Knows of the threads that an issue may follow up. */
export interface ThreadFollower {
  /** What the issue says where whoever opens it says nothing. */
  describe(
    services: Services,
    caller: SignedInActor,
    subject: ProjectSubject,
    threads: FollowedThreads,
  ): Promise<string | undefined>;
  /** Settles the threads, as far as the caller may. */
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

/** What was sent, with the words of the threads that it follows up where it has none. */
export async function withThreads(
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
