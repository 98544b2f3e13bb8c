import { randomBytes } from 'node:crypto';
import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRows } from '../../platform/database/locks.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { awards } from '../award-emoji/public.ts';
import type { Target } from '../target.ts';
import type { NoteScope } from './list.ts';
import type { NoteRow, NotesTable } from './tables.ts';
import './cross-references/tables.ts';

/** Generates a thread ID. */
export function newDiscussionId(): string {
  return randomBytes(20).toString('hex');
}

export function insertNote(trx: Writer, row: Insertable<NotesTable>): Promise<NoteRow> {
  return trx.insertInto('notes').values(row).returningAll().executeTakeFirstOrThrow();
}

/** The thread that a system note belongs to. */
type SystemThread = Pick<NoteRow, 'type' | 'discussion_id'>;

/** Adds a system note to a target; the texts are GitLab's. */
export async function addSystemNote(
  trx: Writer,
  target: Target,
  authorId: number,
  body: string,
  { at = Date.now(), internal = false, thread = undefined as SystemThread | undefined } = {},
): Promise<NoteRow> {
  return insertNote(trx, {
    noteable_type: target.type,
    noteable_id: target.id,
    commit_id: null,
    project_id: target.project_id,
    namespace_id: target.namespace_id,
    type: thread?.type ?? null,
    discussion_id: thread?.discussion_id ?? newDiscussionId(),
    author_id: authorId,
    body,
    system: 1,
    internal: internal ? 1 : 0,
    created_at: at,
    updated_at: at,
  });
}

/** Deletes all notes of targets that are being deleted. */
export async function deleteNotesOf(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await awards.deleteAwardsOfNotes(trx, type, ids);
  await trx.deleteFrom('notes').where('noteable_type', '=', type).where('noteable_id', 'in', ids).execute();
}

const copyBatchSize = 500;

/** Copies notes and system notes of one target to another, keeping threads and timestamps. */
export async function copyNotes(
  trx: Writer,
  from: Target,
  to: Target,
  rewrite: (texts: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const threads = new Map<string, string>();
  for (let last = 0; ; ) {
    const rows = await trx
      .selectFrom('notes')
      .selectAll()
      .where('noteable_type', '=', from.type)
      .where('noteable_id', '=', from.id)
      .where('id', '>', last)
      // Cross-references are not copied: the copy was not mentioned, and the source may not be visible to all readers.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('cross_references')
              .select('cross_references.note_id')
              .whereRef('cross_references.note_id', '=', 'notes.id'),
          ),
        ),
      )
      .orderBy('id')
      .limit(copyBatchSize)
      .execute();
    if (rows.length === 0) return;
    const bodies = await rewrite(rows.map(({ body }) => body));
    const copies = rows.map(({ id: _, discussion_id, ...row }, at) => {
      const thread = threads.get(discussion_id) ?? newDiscussionId();
      threads.set(discussion_id, thread);
      const { type: noteable_type, id: noteable_id, project_id, namespace_id } = to;
      return {
        ...row,
        body: bodies[at] ?? row.body,
        discussion_id: thread,
        noteable_type,
        noteable_id,
        project_id,
        namespace_id,
      };
    });
    const inserted = await trx.insertInto('notes').values(copies).returning('id').execute();
    // `returning` yields rows in insertion order.
    const copied = rows.flatMap(({ id }, at) => (inserted[at] ? [[id, inserted[at].id] as const] : []));
    await awards.copyAwards(trx, 'Note', new Map(copied), to);
    last = rows.at(-1)?.id ?? last;
  }
}

/** IDs of the first notes on a target that have at least this many characters. */
export async function longNotes(db: Reader, { type, id }: Target, from: number, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where((eb) => eb(eb.fn<number>('length', ['body']), '>=', from))
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map((row) => row.id);
}

const byId = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('notes').selectAll().where('id', '=', param('id')),
);

export function findNote(db: Reader, id: number): Promise<NoteRow | undefined> {
  return byId.first(db, { id });
}

const byIds = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('notes').selectAll().where('id', 'in', param.ids('ids')),
);

export function findNotes(db: Reader, ids: readonly number[]): Promise<NoteRow[]> {
  return byIds.all(db, { ids });
}

const iids = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('notes as n')
    .leftJoin('issues as i', (join) => join.onRef('i.id', '=', 'n.noteable_id').on('n.noteable_type', '=', 'Issue'))
    .leftJoin('merge_requests as m', (join) =>
      join.onRef('m.id', '=', 'n.noteable_id').on('n.noteable_type', '=', 'MergeRequest'),
    )
    .leftJoin('epics as e', (join) => join.onRef('e.id', '=', 'n.noteable_id').on('n.noteable_type', '=', 'Epic'))
    .select(['n.id', (eb) => eb.fn.coalesce('i.iid', 'm.iid', 'e.iid').as('iid')])
    .where('n.id', 'in', param.ids('ids')),
);

/** IIDs of the noteables of these notes; null for noteables without an IID. */
export async function noteableIids(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number | null>> {
  return new Map((await iids.all(db, { ids })).map(({ id, iid }) => [id, iid]));
}

export function updateNote(trx: Writer, id: number, change: Updateable<NotesTable>): Promise<NoteRow> {
  return trx.updateTable('notes').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteNote(trx: Writer, id: number): Promise<void> {
  await awards.deleteAwardsOf(trx, 'Note', [id]);
  await trx.deleteFrom('notes').where('id', '=', id).execute();
}

const authors = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('users').select(['id', 'created_at', 'public_email']).where('id', 'in', param.ids('ids')),
);

/** Attributes of note authors beyond the basic user. */
export async function authorDetails(db: Reader, ids: readonly number[]) {
  const rows = ids.length === 0 ? [] : await authors.all(db, { ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}

const commenters = statement((db, param: Param<{ type: string; id: number; internal: number }>) =>
  db
    .selectFrom('notes')
    .select('author_id')
    .distinct()
    .where('noteable_type', '=', param('type'))
    .where('noteable_id', '=', param('id'))
    .where('system', '=', 0)
    .where('internal', '<=', param('internal'))
    .orderBy('author_id')
    .limit(1000),
);

/** IDs of up to a thousand users who commented on a target. */
export async function commenterIds(
  db: Reader,
  { type, id }: Pick<Target, 'type' | 'id'>,
  internal: boolean,
): Promise<number[]> {
  const rows = await commenters.all(db, { type, id, internal: internal ? 1 : 0 });
  return rows.map(({ author_id }) => author_id);
}

const commented = statement((db, param: Param<{ type: string; id: number; author: number }>) =>
  db
    .selectFrom('notes')
    .select('id')
    .where('author_id', '=', param('author'))
    .where('noteable_type', '=', param('type'))
    .where('noteable_id', '=', param('id'))
    .where('system', '=', 0)
    .limit(1),
);

/** Whether a user commented on a target. */
export async function hasCommented(
  db: Reader,
  { type, id }: Pick<Target, 'type' | 'id'>,
  author: number,
): Promise<boolean> {
  return (await commented.first(db, { type, id, author })) !== undefined;
}

const bodies = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('notes').select(['id', 'body', 'internal']).where('id', 'in', param.ids('ids')),
);

/** Bodies of notes by ID. */
export async function noteBodies(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = ids.length === 0 ? [] : await bodies.all(db, { ids });
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** Bodies of notes by ID, and whether each note is internal. */
export async function notedTexts(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly body: string; readonly internal: boolean }>> {
  const rows = ids.length === 0 ? [] : await bodies.all(db, { ids });
  return new Map(rows.map(({ id, body, internal }) => [id, { body, internal: internal === 1 }]));
}

/** IDs of a batch of notes on a target, after a given ID. */
export async function noteIdsAfter(db: Reader, { type, id }: Target, after: number, limit = 500): Promise<number[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where('id', '>', after)
    .where('system', '=', 0)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Filters note IDs to notes on this noteable that are visible with or without access to internal notes. */
export async function readableNoteIds(
  db: Reader,
  { type, id, internal }: NoteScope,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await readable.all(db, { type, id, most: internal ? 1 : 0, ids });
  return rows.map((row) => row.id);
}

const readable = statement((db, param: Param<{ type: string; id: number; most: number; ids: readonly number[] }>) =>
  db
    .selectFrom('notes')
    .select('id')
    .where('id', 'in', param.ids('ids'))
    .where('noteable_type', '=', param('type'))
    .where('noteable_id', '=', param('id'))
    .where('internal', '<=', param('most')),
);

/** Transfers notes of a deleted user to the heir, or deletes them if there is none. */
export async function handOverNotes(trx: Writer, from: number, to: number | null): Promise<void> {
  await trx.updateTable('notes').set({ resolved_by_id: to }).where('resolved_by_id', '=', from).execute();
  await trx.updateTable('notes').set({ updated_by_id: to }).where('updated_by_id', '=', from).execute();
  if (to === null) await deleteNotesBy(trx, from);
  else await trx.updateTable('notes').set({ author_id: to }).where('author_id', '=', from).execute();
}

const deleteBatchSize = 500;

async function deleteNotesBy(trx: Writer, author: number): Promise<void> {
  for (;;) {
    const some = trx.selectFrom('notes').select('id').where('author_id', '=', author).limit(deleteBatchSize);
    const ids = (await some.execute()).map(({ id }) => id);
    if (ids.length === 0) return;
    await lockRows(trx, 'notes', ids, 'remove');
    await awards.deleteAwardsOf(trx, 'Note', ids);
    await trx.deleteFrom('notes').where('id', 'in', ids).execute();
  }
}
