import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { ChangelogMergeRequest } from './section.ts';

/** Merge request data for changelogs, contributed by the merge requests area. */
export interface MergeRequestLookup {
  /** Returns the merge requests that introduced these commits, by commit ID. */
  brought(
    services: Services,
    subject: ProjectSubject,
    oids: readonly string[],
  ): Promise<ReadonlyMap<string, ChangelogMergeRequest>>;
  /** Returns which of these users are non-members with a merge request merged into the default branch. */
  contributors(services: Services, subject: ProjectSubject, users: readonly number[]): Promise<ReadonlySet<number>>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'changelog.mergeRequests': MergeRequestLookup;
  }
}

/** Returns the contributed lookup; undefined if there is none. */
export function mergeRequestLookup({ contributions }: Services): MergeRequestLookup | undefined {
  return contributions('changelog.mergeRequests').at(-1);
}
