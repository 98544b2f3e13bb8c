import { isBranchName, isBranchRef } from '../../../platform/git/refs/refname.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { RequestChangeParams } from '../schema.ts';
import type { MergeRequestRow } from '../tables.ts';
import { isDraft } from './draft.ts';

const maxDescriptionLength = 1_048_576;
const maxPeople = 200;

/** Returns the trimmed title; throws the documented validation error if it is invalid. */
export function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Invalid({ title: ["can't be blank"] });
  const long = lengthProblem(title, 255);
  if (long !== undefined) throw new Invalid({ title: [long] });
  return title;
}

/** The limit is in characters. */
export function checkDescription(text: string | null): string | null {
  if (text === null || text.length <= maxDescriptionLength || [...text].length <= maxDescriptionLength) return text;
  const size = Number((Buffer.byteLength(text) / maxDescriptionLength).toFixed(2));
  throw new Invalid({ description: [`is too long (${size} MB). The maximum size is 1 MB.`] });
}

type BranchNames = Partial<Readonly<Record<'source_branch' | 'target_branch', string>>>;

/** Rejects names that are not valid branch names in git; whether the branches exist is checked elsewhere. */
export function checkBranchNames(names: BranchNames): void {
  const isFine = (name: string) => isBranchRef(name) || name === 'HEAD' || isBranchName(name);
  const wrong = Object.entries(names).filter(([, name]) => !isFine(name));
  if (wrong.length > 0) throw new Invalid(Object.fromEntries(wrong.map(([field]) => [field, ['is invalid']])));
}

function people(field: 'assignees' | 'reviewers', ids: readonly number[]): readonly number[] {
  const wanted = [...new Set(ids)].filter((id) => id !== 0);
  if (wanted.length > maxPeople) throw new Invalid({ [field]: [`total must be less than or equal to ${maxPeople}`] });
  return wanted;
}

/**
 * Normalizes the requested assignees: `0`, `[0]`, an empty list and a blank value all mean none; undefined if not sent.
 */
export function requestedAssignees({
  assignee_id,
  assignee_ids,
}: Pick<RequestChangeParams, 'assignee_id' | 'assignee_ids'>): readonly number[] | undefined {
  if (assignee_ids !== undefined) return people('assignees', assignee_ids ?? []);
  if (assignee_id !== undefined) return people('assignees', assignee_id === null ? [] : [assignee_id]);
  return undefined;
}

export function requestedReviewers({
  reviewer_ids,
}: Pick<RequestChangeParams, 'reviewer_ids'>): readonly number[] | undefined {
  return reviewer_ids === undefined ? undefined : people('reviewers', reviewer_ids ?? []);
}

/**
 * Parses the earliest merge time; null for a blank value. Invalid values are rejected, because ignoring them would
 * allow an immediate merge.
 */
export function readMergeAfter(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Invalid({ merge_after: ['is invalid'] });
  return at;
}

const maxApprovals = 100;

export function checkApprovals(count: number | null): number | null {
  if (count !== null && (count < 0 || count > maxApprovals)) {
    throw new Invalid({ approvals_before_merge: [`must be in 0..${maxApprovals}`] });
  }
  return count;
}

type Columns = Partial<Omit<MergeRequestRow, 'id'>>;

const bit = (flag: boolean): 0 | 1 => (flag ? 1 : 0);

/** Returns the changed columns of the merge request row, limited by whether the caller may change all attributes. */
export function columnChanges(request: MergeRequestRow, params: RequestChangeParams, mayAdmin: boolean): Columns {
  const change: Columns = {};
  if (params.title !== undefined) {
    change.title = checkTitle(params.title);
    change.draft = bit(isDraft(change.title));
  }
  if (params.description !== undefined) change.description = checkDescription(params.description ?? '');
  if (params.squash !== undefined) change.squash = bit(params.squash);
  if (params.remove_source_branch !== undefined) change.force_remove_source_branch = bit(params.remove_source_branch);
  if (mayAdmin && params.approvals_before_merge !== undefined) {
    change.approvals_before_merge = checkApprovals(params.approvals_before_merge);
  }
  if (params.merge_after !== undefined) change.merge_after = readMergeAfter(params.merge_after);
  // A merge in progress is not redirected to another branch.
  if (params.target_branch !== undefined && request.state !== 'merged' && request.state !== 'locked') {
    checkBranchNames({ target_branch: params.target_branch });
    change.target_branch = params.target_branch;
  }
  if (mayAdmin && params.discussion_locked !== undefined) change.discussion_locked = bit(params.discussion_locked);
  const entries = Object.entries(change).filter(([name, value]) => request[name as keyof MergeRequestRow] !== value);
  return Object.fromEntries(entries) as Columns;
}
