import type { Reader } from '../../platform/database/database.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import * as rows from './relation-store.ts';

/** One line of a relation's file. */
export type Line = Readonly<Record<string, unknown>>;

/** A collection of a project, as the file has it. */
export interface Relation {
  readonly name: string;
  lines(db: Reader, projectId: number): AsyncGenerator<Line, void>;
}

const atOnce = 50;

/** Everything of a kind, a part at a time. */
async function* all<T>(
  read: (part: { projectId: number; after: number; limit: number }) => Promise<T[]>,
  projectId: number,
  place: (row: T) => number,
): AsyncGenerator<T[], void> {
  for (let after = 0; ; ) {
    const part = await read({ projectId, after, limit: atOnce });
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    after = place(last);
  }
}

function grouped<T>(list: readonly T[], key: (row: T) => number | null): (id: number) => T[] {
  const groups = Map.groupBy(list, key);
  return (id) => groups.get(id) ?? [];
}

async function* labels(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: Parameters<typeof rows.labelsAfter>[1]) => rows.labelsAfter(db, part);
  for await (const part of all(read, projectId, ({ id }) => id)) {
    for (const { id, title, color, description, priority, created_at, updated_at } of part) {
      yield {
        id,
        title,
        color,
        description,
        type: 'ProjectLabel',
        priorities: priority === null ? [] : [{ project_id: projectId, priority }],
        created_at: instant(created_at),
        updated_at: instant(updated_at),
      };
    }
  }
}

async function* milestones(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: Parameters<typeof rows.milestonesAfter>[1]) => rows.milestonesAfter(db, part);
  for await (const part of all(read, projectId, ({ id }) => id)) {
    for (const { namespace_id: _, ...row } of part) {
      yield { ...row, created_at: instant(row.created_at), updated_at: instant(row.updated_at) };
    }
  }
}

type Noted = 'Issue' | 'MergeRequest';

/** What issues and merge requests have in common: notes with their reactions, reactions, time, labels, milestone. */
async function belongings(
  db: Reader,
  type: Noted,
  things: readonly { readonly id: number; readonly milestone_id: number | null }[],
) {
  const ids = things.map(({ id }) => id);
  const milestoneIds = things.flatMap(({ milestone_id: id }) => id ?? []);
  const [notes, awards, timelogs, labelled, planned] = await Promise.all([
    rows.notesOf(db, type, ids),
    rows.awardsOn(db, type, ids),
    rows.timelogsOf(db, type, ids),
    type === 'Issue' ? rows.issueLabels(db, ids) : rows.requestLabels(db, ids),
    milestoneIds.length === 0 ? [] : rows.milestonesNumbered(db, milestoneIds),
  ]);
  const noteIds = notes.map(({ id }) => id);
  const reactions = noteIds.length === 0 ? [] : await rows.awardsOn(db, 'Note', noteIds);
  const [notesFor, awardsFor, reactionsFor, timeFor, labelsFor] = [
    grouped(notes, ({ noteable_id }) => noteable_id),
    grouped(awards, ({ awardable_id }) => awardable_id),
    grouped(reactions, ({ awardable_id }) => awardable_id),
    grouped(timelogs, ({ target_id }) => target_id),
    grouped(labelled, ({ of }) => of),
  ];
  const award = ({ name, user_id, created_at }: (typeof awards)[number]) => ({
    name,
    user_id,
    created_at: instant(created_at),
  });
  return ({ id, milestone_id }: { readonly id: number; readonly milestone_id: number | null }): Line => {
    const milestone = planned.find((one) => one.id === milestone_id);
    return {
      milestone: milestone
        ? {
            iid: milestone.iid,
            title: milestone.title,
            project_id: milestone.project_id,
            group_id: milestone.namespace_id,
          }
        : null,
      label_links: labelsFor(id).map(({ of: _, project_id, ...label }) => ({
        target_type: type,
        label: { ...label, type: project_id === null ? 'GroupLabel' : 'ProjectLabel' },
      })),
      award_emoji: awardsFor(id).map(award),
      timelogs: timeFor(id).map(({ seconds, user_id, summary, spent_at, created_at }) => ({
        time_spent: seconds,
        user_id,
        summary,
        spent_at: instant(spent_at),
        created_at: instant(created_at),
      })),
      notes: notesFor(id).map((note) => ({
        id: note.id,
        note: note.body,
        noteable_type: type,
        author_id: note.author_id,
        type: note.type,
        discussion_id: note.discussion_id,
        system: note.system === 1,
        internal: note.internal === 1,
        line_code: note.line_code,
        position: readPosition(note.position),
        original_position: readPosition(note.original_position),
        resolved_at: instantOrNull(note.resolved_at),
        resolved_by_id: note.resolved_by_id,
        updated_by_id: note.updated_by_id,
        created_at: instant(note.created_at),
        updated_at: instant(note.updated_at),
        award_emoji: reactionsFor(note.id).map(award),
      })),
    };
  };
}

function readPosition(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

async function* issues(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: Parameters<typeof rows.issuesAfter>[1]) => rows.issuesAfter(db, part);
  for await (const part of all(read, projectId, ({ iid }) => iid)) {
    const rest = await belongings(db, 'Issue', part);
    const assigned = grouped(
      await rows.issueAssignees(
        db,
        part.map(({ id }) => id),
      ),
      ({ of }) => of,
    );
    for (const row of part) {
      yield {
        id: row.id,
        iid: row.iid,
        title: row.title,
        description: row.description,
        state: row.state,
        issue_type: row.issue_type,
        confidential: row.confidential === 1,
        discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
        author_id: row.author_id,
        closed_by_id: row.closed_by_id,
        closed_at: instantOrNull(row.closed_at),
        start_date: row.start_date,
        due_date: row.due_date,
        weight: row.weight,
        health_status: row.health_status,
        severity: row.severity,
        time_estimate: row.time_estimate,
        relative_position: row.relative_position,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        issue_assignees: assigned(row.id).map(({ user_id }) => ({ user_id })),
        ...rest(row),
      };
    }
  }
}

async function* mergeRequests(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: Parameters<typeof rows.requestsAfter>[1]) => rows.requestsAfter(db, part);
  for await (const part of all(read, projectId, ({ iid }) => iid)) {
    const ids = part.map(({ id }) => id);
    const [rest, assignees, reviewers, approvals] = await Promise.all([
      belongings(db, 'MergeRequest', part),
      rows.requestAssignees(db, ids),
      rows.requestReviewers(db, ids),
      rows.requestApprovals(db, ids),
    ]);
    const [assigned, reviewing, approved] = [
      grouped(assignees, ({ of }) => of),
      grouped(reviewers, ({ of }) => of),
      grouped(approvals, ({ of }) => of),
    ];
    for (const row of part) {
      yield {
        id: row.id,
        iid: row.iid,
        title: row.title,
        description: row.description,
        draft: row.draft === 1,
        state: row.state,
        source_branch: row.source_branch,
        target_branch: row.target_branch,
        source_project_id: row.source_project_id,
        target_project_id: row.project_id,
        author_id: row.author_id,
        merge_user_id: row.merge_user_id,
        merge_commit_sha: row.merge_commit_sha,
        squash_commit_sha: row.squash_commit_sha,
        squash: row.squash === 1,
        time_estimate: row.time_estimate,
        discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        diff_head_sha: row.head_sha,
        merge_request_diff: {
          state: 'collected',
          head_commit_sha: row.head_sha,
          base_commit_sha: row.base_sha,
          start_commit_sha: row.start_sha,
        },
        metrics: {
          merged_at: instantOrNull(row.merged_at),
          merged_by_id: row.state === 'merged' ? row.merge_user_id : null,
          latest_closed_at: instantOrNull(row.closed_at),
          latest_closed_by_id: row.closed_by_id,
        },
        merge_request_assignees: assigned(row.id).map(({ user_id }) => ({ user_id })),
        merge_request_reviewers: reviewing(row.id).map(({ user_id, state, created_at }) => ({
          user_id,
          state,
          created_at: instant(created_at),
        })),
        approvals: approved(row.id).map(({ user_id, created_at }) => ({ user_id, created_at: instant(created_at) })),
        ...rest(row),
      };
    }
  }
}

async function* releases(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: Parameters<typeof rows.releasesAfter>[1]) => rows.releasesAfter(db, part);
  for await (const part of all(read, projectId, ({ id }) => id)) {
    const links = grouped(
      await rows.releaseLinks(
        db,
        part.map(({ id }) => id),
      ),
      ({ release_id }) => release_id,
    );
    for (const row of part) {
      yield {
        tag: row.tag,
        name: row.name,
        description: row.description,
        sha: row.sha,
        author_id: row.author_id,
        released_at: instant(row.released_at),
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        links: links(row.id).map(({ name, url, filepath, link_type }) => ({ name, url, filepath, link_type })),
      };
    }
  }
}

async function* branches(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.protectedBranches(db, projectId);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  const grants = grouped(await rows.grantsOf(db, 'branch_id', ids), ({ branch_id }) => branch_id);
  for (const { id, name, allow_force_push, code_owner_approval_required } of found) {
    const levels = (action: string) =>
      grants(id)
        .filter((grant) => grant.action === action)
        .map(({ access_level }) => ({ access_level }));
    yield {
      name,
      allow_force_push: allow_force_push === 1,
      code_owner_approval_required: code_owner_approval_required === 1,
      push_access_levels: levels('push'),
      merge_access_levels: levels('merge'),
    };
  }
}

async function* tags(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.protectedTags(db, projectId);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  const grants = grouped(await rows.grantsOf(db, 'tag_id', ids), ({ tag_id }) => tag_id);
  for (const { id, name } of found) {
    yield { name, create_access_levels: grants(id).map(({ access_level }) => ({ access_level })) };
  }
}

async function* members(db: Reader, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.membersOf(db, projectId);
  if (found.length === 0) return;
  const ids = found.flatMap(({ user_id }) => user_id ?? []);
  const users = new Map((await rows.usersOf(db, ids)).map((user) => [user.id, user]));
  for (const { user_id, access_level, created_at } of found) {
    const user = user_id === null ? undefined : users.get(user_id);
    if (user) yield { source_type: 'Project', user_id, access_level, created_at: instant(created_at), user };
  }
}

/** In the order in which they are read back. */
export const relations: readonly Relation[] = [
  { name: 'labels', lines: labels },
  { name: 'milestones', lines: milestones },
  { name: 'issues', lines: issues },
  { name: 'merge_requests', lines: mergeRequests },
  { name: 'releases', lines: releases },
  { name: 'protected_branches', lines: branches },
  { name: 'protected_tags', lines: tags },
  { name: 'project_members', lines: members },
];

/** The people of some numbers, as far as anybody may know of them. */
export async function* contributors(db: Reader, ids: ReadonlySet<number>): AsyncGenerator<Line, void> {
  const list = [...ids];
  for (let at = 0; at < list.length; at += 500) yield* await rows.usersOf(db, list.slice(at, at + 500));
}

const people = /^(?:author|user|closed_by|merge_user|merged_by|latest_closed_by|resolved_by|updated_by)_id$/;

/** Notes whom a line speaks of. */
export function notePeople(value: unknown, into: Set<number>): void {
  if (Array.isArray(value)) for (const item of value) notePeople(item, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'number' && people.test(key)) into.add(inner);
      else notePeople(inner, into);
    }
  }
}
