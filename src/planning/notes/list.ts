import { type SqlBool, sql } from 'kysely';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import { choice } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId } from '../../platform/list-kit/order.ts';

/** Of what the notes are, and which of them the caller reads. */
export interface NoteScope {
  readonly type: string;
  readonly id: number;
  /** Internal notes too. */
  readonly internal: boolean;
}

const scope = form<NoteScope>()({ values: ['type', 'id'] });
type Scope = BoundFilterOf<typeof scope>;

export function about({ type, id }: Scope) {
  return sql<SqlBool>`notes.noteable_type = ${type} and notes.noteable_id = ${id}`;
}

export const noteList = list({
  id: 'notes.id',
  scope,
  filters: {
    activity_filter: choice({
      all_notes: null,
      only_comments: sql<SqlBool>`notes.system = 0`,
      only_activity: sql<SqlBool>`notes.system = 1`,
    }),
  },
  // Notes are numbered in the order in which they are written; imported ones keep the order of their import.
  orders: { created_at: byId, updated_at: byColumn('notes.updated_at', 'integer') },
  select: (db, ask) => {
    const query = db.selectFrom('notes').selectAll('notes').where(about(ask));
    return ask.internal ? query : query.where('notes.internal', '=', 0);
  },
});
