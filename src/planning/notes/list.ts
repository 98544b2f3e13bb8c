import { type SqlBool, sql } from 'kysely';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import { choice } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId } from '../../platform/list-kit/order.ts';

/** The noteable of a note list, and whether internal notes are included. */
export interface NoteScope {
  readonly type: string;
  readonly id: number;
  /** Includes internal notes. */
  readonly internal: boolean;
}

const scope = boundProperties<NoteScope>()({ values: ['type', 'id'] });
type Scope = BoundFilterOf<typeof scope>;

export function targetCondition({ type, id }: Scope) {
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
  // IDs follow the creation order; imported notes keep the order of their import.
  orders: { created_at: byId, updated_at: byColumn('notes.updated_at', 'integer') },
  select: (db, ask) => {
    const query = db.selectFrom('notes').selectAll('notes').where(targetCondition(ask));
    return ask.internal ? query : query.where('notes.internal', '=', 0);
  },
});
