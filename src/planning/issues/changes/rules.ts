import { BadRequest, Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { checkLabelCount } from '../../labels/public.ts';
import type { IssueChangeParams } from '../schema.ts';
import type { IssueRow } from '../tables.ts';

const maxDescriptionLength = 1_048_576;

/** Returns the trimmed title; throws the documented validation error if it is invalid. */
export function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Invalid({ title: ["can't be blank"] });
  const long = lengthProblem(title, 255);
  if (long !== undefined) throw new Invalid({ title: [long] });
  return title;
}

export function checkDescription(text: string | null): string | null {
  if (text !== null && Buffer.byteLength(text) > maxDescriptionLength) {
    throw new Invalid({ description: [`is too long (maximum is ${maxDescriptionLength} characters)`] });
  }
  return text;
}

const day = /^\d{4}-\d{2}-\d{2}$/;

/** Normalizes a date for storage; null for a value that is not a date, as in GitLab. */
export function readDay(text: string | null): string | null {
  const date = text?.trim().slice(0, 10) ?? '';
  if (!day.test(date) || Number.isNaN(Date.parse(date))) return null;
  // `Date.parse` accepts 2026-02-31 as 3 March; it is not a valid date.
  return new Date(date).toISOString().slice(0, 10) === date ? date : null;
}

export function checkWeight(weight: number | null): number | null {
  if (weight !== null && weight < 0) throw new Invalid({ weight: ['must be greater than or equal to 0'] });
  return weight;
}

const maxIid = 2_147_483_647;

/** Validates an IID chosen by the caller; later issues are numbered from it. */
export function checkNumber(iid: number): number {
  if (iid < 1) throw new Invalid({ iid: ['must be greater than 0'] });
  if (iid > maxIid) throw new Invalid({ iid: [`must be less than or equal to ${maxIid}`] });
  return iid;
}

/**
 * Normalizes the requested assignees: `0`, `[0]`, an empty list and a blank value all mean none; undefined if not sent.
 */
export function requestedAssignees({
  assignee_id,
  assignee_ids,
}: Pick<IssueChangeParams, 'assignee_id' | 'assignee_ids'>): readonly number[] | undefined {
  const requested = assignee_ids ?? (assignee_ids === null ? [] : undefined);
  const ids = requested ?? (assignee_id === undefined ? undefined : assignee_id === null ? [] : [assignee_id]);
  if (ids && ids.length > 200) throw new BadRequest('Total assignees must be less than or equal to 200');
  return ids && [...new Set(ids)].filter((id) => id !== 0);
}

/** Computes the resulting label titles: the sent list or the current one, plus added and minus removed labels. */
export function requestedLabels(
  present: readonly string[],
  { labels, add_labels, remove_labels }: Pick<IssueChangeParams, 'labels' | 'add_labels' | 'remove_labels'>,
): readonly string[] | undefined {
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return undefined;
  const base = labels === undefined ? present : (labels ?? []);
  const removed = new Set((remove_labels ?? []).map((title) => title.trim()));
  const requested = [...base, ...(add_labels ?? [])].map((title) => title.trim());
  const titles = [...new Set(requested)].filter((title) => title !== '' && !removed.has(title));
  checkLabelCount(titles);
  return titles;
}

/** Merges the submitted attributes with those set by quick actions; added labels of both are combined. */
export function mergeCommandChanges<Change extends Pick<IssueChangeParams, 'add_labels'>>(
  sent: Change,
  commanded: Change,
): Change {
  const add_labels = [...(sent.add_labels ?? []), ...(commanded.add_labels ?? [])];
  return { ...sent, ...commanded, ...(add_labels.length > 0 && { add_labels }) };
}

/** Returns the changed columns of the issue row, limited by whether the caller may plan. */
export function columnChanges(
  issue: IssueRow,
  params: IssueChangeParams & Partial<Pick<IssueRow, 'severity' | 'health_status' | 'iteration_id'>>,
  mayPlan: boolean,
): Partial<Omit<IssueRow, 'id'>> {
  const change: Partial<Omit<IssueRow, 'id'>> = {};
  if (params.title !== undefined) change.title = checkTitle(params.title);
  if (params.description !== undefined) change.description = checkDescription(params.description ?? '');
  if (mayPlan) {
    if (params.confidential !== undefined) change.confidential = params.confidential ? 1 : 0;
    if (params.issue_type !== undefined) change.issue_type = params.issue_type;
    if (params.discussion_locked !== undefined) change.discussion_locked = params.discussion_locked ? 1 : 0;
    if (params.due_date !== undefined) change.due_date = readDay(params.due_date);
    if (params.severity !== undefined) change.severity = params.severity;
    if (params.iteration_id !== undefined) change.iteration_id = params.iteration_id;
    if (params.health_status !== undefined) change.health_status = params.health_status;
    if (params.weight !== undefined) change.weight = checkWeight(params.weight);
  }
  const entries = Object.entries(change).filter(([name, value]) => issue[name as keyof IssueRow] !== value);
  return Object.fromEntries(entries) as Partial<Omit<IssueRow, 'id'>>;
}
