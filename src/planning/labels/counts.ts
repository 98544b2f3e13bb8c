import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';

/** How much carries a label. */
export interface LabelCounts {
  readonly open_issues_count: number;
  readonly closed_issues_count: number;
  readonly open_merge_requests_count: number;
}

/** Counts what one area puts labels on, for the labels of a page at once; a label that nothing carries may be left out. */
export type LabelCounter = (
  db: Reader,
  labelIds: readonly number[],
) => Promise<ReadonlyMap<number, Partial<LabelCounts>>>;

declare module '../../platform/occurrences.ts' {
  interface Contributions {
    'labels.counts': LabelCounter;
  }
}

const none: LabelCounts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 };

/** The counts of each label, as the areas that carry labels know them. */
export async function countsOf(
  { db, contributed }: Pick<Services, 'db' | 'contributed'>,
  labelIds: readonly number[],
): Promise<(labelId: number) => LabelCounts> {
  const counted = await Promise.all(contributed('labels.counts').map((count) => count(db.read, labelIds)));
  return (labelId) => Object.assign({}, none, ...counted.map((counts) => counts.get(labelId)));
}
