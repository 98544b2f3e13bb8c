import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Viewer } from '../../../access/visibility/visible.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { compare } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { isReadableEpic } from '../list.ts';

interface LinkScope extends Viewer {
  readonly group: number;
}

const readable = (condition: RawBuilder<SqlBool>, column: 'source_id' | 'target_id'): RawBuilder<SqlBool> =>
  sql`exists (select 1 from epics join namespaces n on n.id = epics.namespace_id
    where epics.id = ${sql.ref(`epic_links.${column}`)} and ${condition})`;

/** Links from epics of a group or its descendants, of which the caller may read both ends. */
export const epicLinkList = list({
  id: 'epic_links.id',
  scope: boundProperties<LinkScope>()({ values: ['group', 'user', 'now'] }),
  filters: {
    created_after: compare('epic_links.created_at', '>=', param.dateTime()),
    created_before: compare('epic_links.created_at', '<=', param.dateTime()),
    updated_after: compare('epic_links.updated_at', '>=', param.dateTime()),
    updated_before: compare('epic_links.updated_at', '<=', param.dateTime()),
  },
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('epic_links')
      .selectAll('epic_links')
      .where(
        sql<SqlBool>`epic_links.source_id in (select e.id from epics e where e.namespace_id in (
          select a.namespace_id from namespace_ancestors a where a.ancestor_id = ${ask.group}))`,
      )
      .where(readable(isReadableEpic(ask), 'source_id'))
      .where(readable(isReadableEpic(ask), 'target_id')),
});
