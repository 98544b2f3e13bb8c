import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Brought } from './section.ts';

/** What the area of merge requests knows about the commits of a changelog. */
export interface MergeRequestLookup {
  /** The merge request that brought each of these commits, by the id of the commit. */
  brought(services: Services, subject: ProjectSubject, oids: readonly string[]): Promise<ReadonlyMap<string, Brought>>;
  /** Of these users, those who are no members and have had a merge request merged into the default branch. */
  contributors(services: Services, subject: ProjectSubject, users: readonly number[]): Promise<ReadonlySet<number>>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'changelog.mergeRequests': MergeRequestLookup;
  }
}

/** What is known; nothing while no area tells. */
export function mergeRequestLookup({ contributions }: Services): MergeRequestLookup | undefined {
  return contributions('changelog.mergeRequests').at(-1);
}
