import { findUser } from '../../access/credentials/identify.ts';
import { labelsById } from '../../planning/labels/public.ts';
import { milestonesById } from '../../planning/milestones/public.ts';
import type { Reader } from '../../platform/database/database.ts';

/** The attributes of an issue or merge request whose changes are notified. */
export interface Plan {
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labelIds: readonly number[];
  readonly milestoneId: number | null;
  readonly draft: boolean;
}

/** A change that is notified by one e-mail. */
export interface Change {
  readonly verb:
    | 'assigned'
    | 'asked to review'
    | 'asked to review again'
    | 'labeled'
    | 'planned'
    | 'marked as ready'
    | 'pushed';
  /** The added assignees, reviewers or labels, or the new milestone. */
  readonly ids: readonly number[];
  /** Users who were removed by the change and are notified as well. */
  readonly also: readonly number[];
}

const without = (all: readonly number[], others: readonly number[]) => all.filter((id) => !others.includes(id));

/**
 * Returns the changes to notify between two states. Repeated review requests are passed in, because the states do not
 * show them.
 */
export function changesOf(
  before: Plan,
  after: Plan,
  { pushed = false, again = [] }: { readonly pushed?: boolean; readonly again?: readonly number[] } = {},
): Change[] {
  const changes: Change[] = [];
  const people = [
    ['assigned', before.assigneeIds, after.assigneeIds],
    ['asked to review', before.reviewerIds, after.reviewerIds],
  ] as const;
  for (const [verb, old, ids] of people) {
    const also = without(old, ids);
    if (also.length > 0 || without(ids, old).length > 0) changes.push({ verb, ids, also });
  }
  if (again.length > 0) changes.push({ verb: 'asked to review again', ids: again, also: [] });
  const labels = without(after.labelIds, before.labelIds);
  if (labels.length > 0) changes.push({ verb: 'labeled', ids: labels, also: [] });
  if (before.milestoneId !== after.milestoneId) {
    changes.push({ verb: 'planned', ids: after.milestoneId === null ? [] : [after.milestoneId], also: [] });
  }
  if (before.draft && !after.draft) changes.push({ verb: 'marked as ready', ids: [], also: [] });
  if (pushed) changes.push({ verb: 'pushed', ids: [], also: [] });
  return changes;
}

/** Whether the `ids` of a change are people, who are told even if they have been replaced in the meantime. */
export const namesPeople = (verb: string): boolean => verb === 'assigned' || verb.startsWith('asked to review');

async function namesOf(db: Reader, ids: readonly number[]): Promise<string> {
  const people = await Promise.all(ids.map((id) => findUser(db, id)));
  return people.flatMap((user) => (user ? [`@${user.username}`] : [])).join(', ') || 'nobody';
}

/** Returns the sentence that describes an activity other than a note. */
export async function sentenceOf(
  db: Reader,
  { verb, ids = [] }: { readonly verb: string; readonly ids?: readonly number[] },
  who: string,
  reference: string,
): Promise<string> {
  switch (verb) {
    case 'assigned':
      return `${who} assigned ${reference} to ${await namesOf(db, ids)}.`;
    case 'asked to review':
      return `${who} asked ${await namesOf(db, ids)} to review ${reference}.`;
    case 'asked to review again':
      return `${who} asked ${await namesOf(db, ids)} to review ${reference} again.`;
    case 'set to merge':
      return `${who} set ${reference} to be merged when all checks pass.`;
    case 'labeled': {
      const titles = (await labelsById(db, ids)).map(({ title }) => `"${title}"`);
      return `${who} marked ${reference} with the label${titles.length === 1 ? '' : 's'} ${titles.join(', ')}.`;
    }
    case 'planned': {
      const [milestone] = (await milestonesById(db, ids)).values();
      return milestone
        ? `${who} moved ${reference} to the milestone "${milestone.title}".`
        : `${who} removed ${reference} from its milestone.`;
    }
    case 'marked as ready':
      return `${who} marked ${reference} as ready.`;
    case 'in conflict':
      return `${reference} can no longer be merged: it is in conflict with its target branch.`;
    case 'mentioned':
      return `${who} mentioned you in ${reference}.`;
    case 'due':
      return `${reference} is due tomorrow.`;
    case 'pushed':
      return `${who} pushed to ${reference}.`;
    default:
      return `${who} ${verb} ${reference}.`;
  }
}
