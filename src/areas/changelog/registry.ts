import type { ProjectSubject } from '../../access/subjects.ts';
import type { Services } from '../../platform/services.ts';
import type { Brought } from './section.ts';

/** What the area of merge requests knows about the commits of a changelog. */
export interface MergeKnowledge {
  /** The merge request that brought each of these commits, by the id of the commit. */
  brought(services: Services, subject: ProjectSubject, oids: readonly string[]): Promise<ReadonlyMap<string, Brought>>;
  /** Of these users, those who are no members and have had a merge request merged into the default branch. */
  contributors(services: Services, subject: ProjectSubject, users: readonly number[]): Promise<ReadonlySet<number>>;
}

let knowledge: MergeKnowledge | undefined;

/** Lets the area of merge requests tell. Call it once, at the top of a module. */
export function onChangelog(known: MergeKnowledge): void {
  knowledge = known;
}

/** What is known; nothing while nobody tells. */
export function mergeKnowledge(): MergeKnowledge | undefined {
  return knowledge;
}
