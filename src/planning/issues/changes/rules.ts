import { BadRequest, Invalid } from '../../../platform/http/errors.ts';
import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import { checkLabelCount } from '../../labels/public.ts';
import type { IssueChangeParams } from '../schema.ts';
import type { IssueRow } from '../tables.ts';

const longestDescription = 1_048_576;

/** The title without blanks around it, or the refusal that the documents name. */
export function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Invalid({ title: ["can't be blank"] });
  const long = tooLong(title, 255);
  if (long !== undefined) throw new Invalid({ title: [long] });
  return title;
}

export function checkDescription(text: string | null): string | null {
  if (text !== null && Buffer.byteLength(text) > longestDescription) {
    throw new Invalid({ description: [`is too long (maximum is ${longestDescription} characters)`] });
  }
  return text;
}

const day = /^\d{4}-\d{2}-\d{2}$/;

/** A day as it is stored; null for what cannot be read as one, as the reference has it. */
export function readDay(text: string | null): string | null {
  const date = text?.trim().slice(0, 10) ?? '';
  if (!day.test(date) || Number.isNaN(Date.parse(date))) return null;
  // 2026-02-31 is read as the 3rd of March by some; it is no day.
  return new Date(date).toISOString().slice(0, 10) === date ? date : null;
}

export function checkWeight(weight: number | null): number | null {
  if (weight !== null && weight < 0) throw new Invalid({ weight: ['must be greater than or equal to 0'] });
  return weight;
}

const largestNumber = 2_147_483_647;

/** A number that somebody chose for an issue: those that follow go on from it. */
export function checkNumber(iid: number): number {
  if (iid < 1) throw new Invalid({ iid: ['must be greater than 0'] });
  if (iid > largestNumber) throw new Invalid({ iid: [`must be less than or equal to ${largestNumber}`] });
  return iid;
}

/** `0`, `[0]`, an empty list and a blank all mean nobody; undefined where nothing was said. */
export function wantedAssignees({
  assignee_id,
  assignee_ids,
}: Pick<IssueChangeParams, 'assignee_id' | 'assignee_ids'>): readonly number[] | undefined {
  const wanted = assignee_ids ?? (assignee_ids === null ? [] : undefined);
  const ids = wanted ?? (assignee_id === undefined ? undefined : assignee_id === null ? [] : [assignee_id]);
  if (ids && ids.length > 200) throw new BadRequest('Total assignees must be less than or equal to 200');
  return ids && [...new Set(ids)].filter((id) => id !== 0);
}

/** The labels that result: those given, or those it has, with some added and some removed. */
export function wantedLabels(
  present: readonly string[],
  { labels, add_labels, remove_labels }: Pick<IssueChangeParams, 'labels' | 'add_labels' | 'remove_labels'>,
): readonly string[] | undefined {
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return undefined;
  const base = labels === undefined ? present : (labels ?? []);
  const removed = new Set((remove_labels ?? []).map((title) => title.trim()));
  const wanted = [...base, ...(add_labels ?? [])].map((title) => title.trim());
  const titles = [...new Set(wanted)].filter((title) => title !== '' && !removed.has(title));
  checkLabelCount(titles);
  return titles;
}

/** What was sent, and what the commands in it change besides: labels are added by both. */
export function withCommanded<Change extends Pick<IssueChangeParams, 'add_labels'>>(
  sent: Change,
  commanded: Change,
): Change {
  const add_labels = [...(sent.add_labels ?? []), ...(commanded.add_labels ?? [])];
  return { ...sent, ...commanded, ...(add_labels.length > 0 && { add_labels }) };
}

/** What changes in the row itself, when somebody with or without the right to plan asks for it. */
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
