import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import type { DraftNoteRow, DraftNotesTable } from './tables.ts';

interface DraftScope {
  readonly request: number;
  readonly author: number;
}

const scope = boundProperties<DraftScope>()({ values: ['request', 'author'] });

export const draftList = list({
  id: 'draft_notes.id',
  scope,
  filters: {},
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('draft_notes')
      .selectAll()
      .where('draft_notes.merge_request_id', '=', ask.request)
      .where('draft_notes.author_id', '=', ask.author),
});

const one = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('draft_notes').selectAll().where('id', '=', param('id')),
);

export function findDraft(db: Reader, id: number): Promise<DraftNoteRow | undefined> {
  return one.first(db, { id });
}

const next = statement((db, param: Param<{ request: number; author: number; after: number }>) =>
  db
    .selectFrom('draft_notes')
    .selectAll()
    .where('merge_request_id', '=', param('request'))
    .where('author_id', '=', param('author'))
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(1),
);

/** The next draft after another one, by ID. */
export function nextDraft(
  db: Reader,
  request: number,
  author: number,
  after: number,
): Promise<DraftNoteRow | undefined> {
  return next.first(db, { request, author, after });
}

export function insertDraft(trx: Writer, row: Insertable<DraftNotesTable>): Promise<DraftNoteRow> {
  return trx.insertInto('draft_notes').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateDraft(
  trx: Writer,
  id: number,
  change: Updateable<DraftNotesTable>,
): Promise<DraftNoteRow | undefined> {
  return trx.updateTable('draft_notes').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Returns whether the draft still existed, so that concurrent requests publish it only once. */
export async function deleteDraft(trx: Writer, id: number): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('draft_notes').where('id', '=', id).executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

/** Drafts are deleted with their author; they are visible to nobody else. */
export async function deleteDraftsBy(trx: Writer, author: number): Promise<void> {
  await trx.deleteFrom('draft_notes').where('author_id', '=', author).execute();
}
