import { type SqlBool, sql } from 'kysely';
import { boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { type NoteScope, targetCondition } from '../list.ts';

const scope = boundProperties<NoteScope>()({ values: ['type', 'id'] });

/** Threads, ordered by their first note. */
export const threadList = list({
  id: 'notes.id',
  scope,
  filters: {},
  orders: { created_at: byId },
  select: (db, ask) => {
    const query = db
      .selectFrom('notes')
      .select(['notes.id', 'notes.discussion_id'])
      .where(targetCondition(ask))
      .where(sql<SqlBool>`not exists (select 1 from notes as earlier
        where earlier.discussion_id = notes.discussion_id and earlier.id < notes.id)`);
    return ask.internal ? query : query.where('notes.internal', '=', 0);
  },
});
