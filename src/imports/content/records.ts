import { nextInternalId, reserveInternalId } from '../../namespaces/internal-ids/public.ts';
import { countImportedNote, type IssueRow, insertImportedIssue } from '../../planning/issues/public.ts';
import { bestPriority, ensureLabel } from '../../planning/labels/public.ts';
import { insertImportedMilestone } from '../../planning/milestones/public.ts';
import { insertNote, newDiscussionId } from '../../planning/notes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { importedRequests, type MergeRequestRow } from '../../review/merge-requests/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { findNearestLabel } from './store.ts';
import { importedTitle } from './text.ts';

/**
 * Imports a project label; commas are removed, because titles cannot contain them. A group label maps to a label of an
 * ancestor group if there is one.
 */
export async function importLabel(
  run: ImportRun,
  title: string,
  color: string,
  description: string | null = null,
  ofGroup = false,
): Promise<void> {
  await run.once('label', title, async (trx) => {
    const around = ofGroup ? await findNearestLabel(trx, run.namespace.id, labelTitle(title)) : undefined;
    if (around) return around.id;
    const now = Date.now();
    const label = await ensureLabel(trx, {
      project_id: run.project.id,
      namespace_id: null,
      title: labelTitle(title),
      color: /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : '#6699cc',
      description,
      archived: 0,
      created_at: now,
      updated_at: now,
    });
    return label.id;
  });
}

/** Converts a title to a valid label title. */
export function labelTitle(text: string): string {
  const title = text.replaceAll(/[,\r\n]+/g, ' ').replaceAll(/ {2,}/g, ' ');
  return importedTitle(title);
}

/** IDs of the imported labels with these titles. */
export async function labelIdsOf(run: ImportRun, titles: readonly string[]): Promise<number[]> {
  const found = await Promise.all([...new Set(titles)].map((title) => run.targetOf('label', title)));
  return [...new Set(found.filter((id) => id !== undefined))];
}

export interface SourceMilestone {
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'active' | 'closed';
  readonly startDate?: string | null;
  readonly dueDate: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export async function importMilestone(run: ImportRun, source: SourceMilestone): Promise<void> {
  const { id: project_id } = run.project;
  await run.once('milestone', source.number, async (trx) => {
    await reserveInternalId(trx, { project_id }, 'milestones', source.number);
    return insertImportedMilestone(trx, {
      iid: source.number,
      project_id,
      namespace_id: null,
      title: importedTitle(source.title),
      description: source.description,
      state: source.state,
      start_date: source.startDate ?? null,
      due_date: source.dueDate,
      created_at: source.createdAt,
      updated_at: source.updatedAt,
    });
  });
}

/** Milestone with a name, for hosts that provide no other data; created on first use. */
export async function importMilestoneNamed(run: ImportRun, name: string, createdAt: number): Promise<number | null> {
  const { id: project_id } = run.project;
  const key = `named ${name}`;
  await run.once('milestone', key, async (trx) =>
    insertImportedMilestone(trx, {
      iid: await nextInternalId(trx, { project_id }, 'milestones'),
      project_id,
      namespace_id: null,
      title: importedTitle(name),
      description: null,
      state: 'active',
      start_date: null,
      due_date: null,
      created_at: createdAt,
      updated_at: createdAt,
    }),
  );
  return (await run.targetOf('milestone', key)) ?? null;
}

/** Attributes shared by issues and merge requests. */
interface SourceText {
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
  readonly labelIds: readonly number[];
  readonly milestoneId: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Issue attributes that only some hosts provide. */
type IssueDetails = Partial<
  Pick<
    IssueRow,
    | 'issue_type'
    | 'confidential'
    | 'discussion_locked'
    | 'closed_by_id'
    | 'start_date'
    | 'due_date'
    | 'weight'
    | 'health_status'
    | 'severity'
    | 'time_estimate'
    | 'total_time_spent'
    | 'relative_position'
  >
>;

export interface SourceIssue extends SourceText {
  readonly closedAt: number | null;
  readonly details?: IssueDetails;
}

/** Imports an issue with its number. */
export async function importIssue(run: ImportRun, source: SourceIssue): Promise<void> {
  const { id: project_id } = run.project;
  await run.once('issue', source.number, async (trx) => {
    await reserveInternalId(trx, { project_id }, 'issues', source.number);
    const row = {
      ...source.details,
      iid: source.number,
      project_id,
      title: importedTitle(source.title),
      description: source.description,
      state: source.closedAt === null ? ('opened' as const) : ('closed' as const),
      closed_at: source.closedAt,
      author_id: source.authorId,
      milestone_id: source.milestoneId,
      label_priority: await bestPriority(trx, project_id, source.labelIds),
      imported_from: run.type,
      created_at: source.createdAt,
      updated_at: source.updatedAt,
    };
    const { labelIds, assigneeIds } = source;
    return (await insertImportedIssue(trx, row, { labelIds, assigneeIds: [...new Set(assigneeIds)] })).id;
  });
}

/** Merge request attributes that only some hosts provide. */
type RequestDetails = Partial<
  Pick<
    MergeRequestRow,
    | 'discussion_locked'
    | 'squash'
    | 'squash_commit_sha'
    | 'time_estimate'
    | 'total_time_spent'
    | 'force_remove_source_branch'
  >
>;

export interface SourceMergeRequest extends SourceText {
  readonly state: 'opened' | 'closed' | 'merged';
  readonly draft?: boolean;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** Commit IDs; null if unknown. */
  readonly headSha: string | null;
  readonly startSha: string | null;
  /** Earlier versions, oldest first. */
  readonly earlier?: readonly { readonly head: string; readonly start: string; readonly at: number }[];
  readonly mergeCommitSha?: string | null;
  readonly mergeUserId?: number | null;
  readonly mergedAt?: number | null;
  readonly reviewerIds?: readonly number[];
  readonly closedById?: number | null;
  readonly closedAt?: number | null;
  readonly details?: RequestDetails;
}

/** Imports a merge request with its number and the version defined by its commits. */
export async function importMergeRequest(run: ImportRun, source: SourceMergeRequest): Promise<void> {
  const { services, project } = run;
  const { headSha: head, startSha: start } = source;
  const version =
    head === null || start === null
      ? undefined
      : await importedRequests.collectImported(services, project.id, { head, start });
  const earlier: NonNullable<importedRequests.ImportedParts['earlier']>[number][] = [];
  for (const { at, ...commits } of source.earlier ?? []) {
    const before = await importedRequests.collectImported(services, project.id, commits);
    if (before) earlier.push({ version: before, at });
  }
  await run.once('pull_request', source.number, async (trx) => {
    await reserveInternalId(trx, { project_id: project.id }, 'merge_requests', source.number);
    const title = importedTitle(
      source.draft && !/^draft:/i.test(source.title) ? `Draft: ${source.title}` : source.title,
    );
    const row = {
      ...source.details,
      iid: source.number,
      project_id: project.id,
      source_project_id: project.id,
      source_branch: source.sourceBranch,
      target_branch: source.targetBranch,
      title,
      description: source.description,
      draft: /^draft:/i.test(title) ? 1 : 0,
      state: source.state,
      merge_status: 'unchecked' as const,
      author_id: source.authorId,
      milestone_id: source.milestoneId,
      label_priority: await bestPriority(trx, project.id, source.labelIds),
      merge_commit_sha: source.mergeCommitSha ?? null,
      merge_user_id: source.mergeUserId ?? null,
      merged_at: source.mergedAt ?? null,
      closed_by_id: source.closedById ?? null,
      closed_at: source.closedAt ?? null,
      head_sha: head,
      prepared_at: source.createdAt,
      imported_from: run.type,
      created_at: source.createdAt,
      updated_at: source.updatedAt,
    };
    const { labelIds, assigneeIds } = source;
    const parts = { ...(version ? { version } : {}), earlier, labelIds, assigneeIds };
    const { id } = await importedRequests.insertImportedRequest(trx, row, parts);
    for (const reviewer of new Set(source.reviewerIds ?? [])) {
      const asked = { state: 'unreviewed', at: source.createdAt } as const;
      await importedRequests.addImportedReviewer(trx, id, reviewer, asked);
    }
    return id;
  });
}

/** The object a note belongs to. */
export interface Noteable {
  readonly type: 'Issue' | 'MergeRequest';
  readonly id: number;
}

/** A record with notes, which only issues and merge requests count. */
export type Commented = Noteable | { readonly type: 'Snippet' | 'Commit'; readonly id: number };

export interface SourceNote {
  readonly authorId: number;
  readonly body: string;
  readonly createdAt: number;
  readonly updatedAt?: number;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly resolved?: { readonly at: number; readonly byId: number | null };
  /** ID of the discussion; absent for individual notes. */
  readonly discussionId?: string;
  readonly type?: 'DiscussionNote' | 'DiffNote' | 'LegacyDiffNote';
  /** The commit that the note is about. */
  readonly commitId?: string;
  /** JSON. */
  readonly position?: string;
  readonly lineCode?: string;
}

/** Inserts an imported note in the transaction of the caller. */
export async function addImportedNote(
  run: ImportRun,
  trx: Writer,
  target: Commented,
  note: SourceNote,
): Promise<{ id: number; discussionId: string }> {
  const { id, discussion_id } = await insertNote(trx, {
    noteable_type: target.type,
    noteable_id: target.id,
    commit_id: note.commitId ?? null,
    project_id: run.project.id,
    namespace_id: null,
    type: note.type ?? null,
    discussion_id: note.discussionId ?? newDiscussionId(),
    author_id: note.authorId,
    body: note.body,
    system: note.system ? 1 : 0,
    internal: note.internal ? 1 : 0,
    resolved_at: note.resolved?.at ?? null,
    resolved_by_id: note.resolved?.byId ?? null,
    position: note.position ?? null,
    original_position: note.position ?? null,
    line_code: note.lineCode ?? null,
    imported_from: run.type,
    created_at: note.createdAt,
    updated_at: note.updatedAt ?? note.createdAt,
  });
  if (!note.system) {
    if (target.type === 'Issue') await countImportedNote(trx, target.id);
    else if (target.type === 'MergeRequest') await importedRequests.countImportedRequestNote(trx, target.id);
  }
  return { id, discussionId: discussion_id };
}
