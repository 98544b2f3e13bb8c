import type { Actor } from '../../access/actor.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';

/** Number of items that have a label. */
export interface LabelCounts {
  readonly open_issues_count: number;
  readonly closed_issues_count: number;
  readonly open_merge_requests_count: number;
}

/**
 * Counts an area's labelled items in a project or group, as far as the caller may read them, for one page of labels at
 * once; labels without items may be omitted.
 */
export type LabelCounter = (
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  labelIds: readonly number[],
) => Promise<ReadonlyMap<number, Partial<LabelCounts>>>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'labels.counts': LabelCounter;
  }
}

const none: LabelCounts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 };

/** The counts of each label, from the areas whose items have labels. */
export async function countsOf(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  labelIds: readonly number[],
): Promise<(labelId: number) => LabelCounts> {
  const counted = await Promise.all(
    services.contributions('labels.counts').map((count) => count(services, caller, place, labelIds)),
  );
  return (labelId) => Object.assign({}, none, ...counted.map((counts) => counts.get(labelId)));
}
