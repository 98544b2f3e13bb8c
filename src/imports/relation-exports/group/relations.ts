import { Visibility, visibilityNames } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { Namespace } from '../../../access/tables.ts';
import { settingsOfGroup } from '../../../namespaces/groups/public.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { exportedSettings } from '../../group-relations/public.ts';
import {
  type BatchRange,
  boards,
  exportedRows,
  groupByParent,
  idsOf,
  iterateRows,
  type Line,
  labels,
  milestones,
  type Relation,
} from '../../project-exports/public.ts';
import * as rows from './store.ts';

const inGroup = (namespace_id: number) => ({ project_id: null, namespace_id });

/** In the order in which they are imported. */
export const groupRelations: readonly Relation[] = [
  { name: 'labels', lines: (services, id) => labels(services, inGroup(id)) },
  { name: 'milestones', lines: (services, id) => milestones(services, inGroup(id)) },
  { name: 'badges', lines: badges },
  { name: 'boards', lines: (services, id) => boards(services, inGroup(id)) },
  { name: 'epics', lines: epics },
  { name: 'members', lines: members },
];

/** Attributes of the group. */
export function groupAttributes(group: Namespace): Line {
  return {
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: visibilityNames.find((name) => Visibility[name] === group.visibility),
    visibility_level: group.visibility,
    created_at: instant(group.created_at),
    ...exportedSettings(settingsOfGroup(group)),
  };
}

async function* badges({ db: { read: db } }: Services, groupId: number): AsyncGenerator<Line, void> {
  for await (const part of iterateRows(
    (some: BatchRange) => rows.badgesAfter(db, some),
    groupId,
    ({ id }) => id,
  )) {
    for (const { id: _, created_at, updated_at, ...badge } of part) {
      yield { ...badge, type: 'GroupBadge', created_at: instant(created_at), updated_at: instant(updated_at) };
    }
  }
}

async function* members({ db: { read: db } }: Services, groupId: number): AsyncGenerator<Line, void> {
  for await (const part of iterateRows(
    (some: BatchRange) => rows.groupMembersAfter(db, some),
    groupId,
    ({ id }) => id,
  )) {
    const ids = part.flatMap(({ user_id }) => user_id ?? []);
    const users = new Map((await exportedRows.usersOf(db, ids)).map((user) => [user.id, user]));
    for (const { user_id, access_level, expires_at, created_at } of part) {
      const user = user_id === null ? undefined : users.get(user_id);
      if (!user) continue;
      const expires = expires_at === null ? null : instant(expires_at).slice(0, 10);
      yield {
        source_type: 'Namespace',
        user_id,
        access_level,
        expires_at: expires,
        created_at: instant(created_at),
        user,
      };
    }
  }
}

async function* epics({ db: { read: db } }: Services, groupId: number): AsyncGenerator<Line, void> {
  for await (const part of iterateRows(
    (some: BatchRange) => rows.epicsAfter(db, some),
    groupId,
    ({ iid }) => iid,
  )) {
    const ids = idsOf(part);
    const [labelled, notes, awards] = await Promise.all([
      rows.epicLabels(db, ids),
      exportedRows.notesOf(db, 'Epic', ids),
      exportedRows.awardsOn(db, 'Epic', ids),
    ]);
    const labelsOf = groupByParent(labelled, ({ of }) => of);
    const notesOf = groupByParent(notes, ({ noteable_id }) => noteable_id);
    const awardsOf = groupByParent(awards, ({ awardable_id }) => awardable_id);
    for (const row of part) {
      yield {
        ...epicLine(row),
        label_links: labelsOf(row.id).map(({ of: _, ...label }) => ({
          target_type: 'Epic',
          label: { ...label, type: 'GroupLabel' },
        })),
        award_emoji: awardsOf(row.id).map(({ name, user_id, created_at }) => ({
          name,
          user_id,
          created_at: instant(created_at),
        })),
        notes: notesOf(row.id).map(noteLine),
      };
    }
  }
}

function epicLine(row: Awaited<ReturnType<typeof rows.epicsAfter>>[number]): Line {
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: row.description,
    state: row.state,
    confidential: row.confidential === 1,
    color: row.color,
    author_id: row.author_id,
    closed_by_id: row.closed_by_id,
    closed_at: instantOrNull(row.closed_at),
    start_date_fixed: row.start_date_fixed,
    start_date_is_fixed: row.start_date_is_fixed === 1,
    due_date_fixed: row.due_date_fixed,
    due_date_is_fixed: row.due_date_is_fixed === 1,
    relative_position: row.relative_position,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    // Parents in other groups are not portable.
    parent: row.parent_group === row.namespace_id ? { iid: row.parent_iid } : null,
  };
}

function noteLine(note: Awaited<ReturnType<typeof exportedRows.notesOf>>[number]): Line {
  return {
    id: note.id,
    note: note.body,
    noteable_type: 'Epic',
    author_id: note.author_id,
    type: note.type,
    discussion_id: note.discussion_id,
    system: note.system === 1,
    internal: note.internal === 1,
    created_at: instant(note.created_at),
    updated_at: instant(note.updated_at),
  };
}
