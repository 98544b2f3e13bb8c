import { sql } from 'kysely';
import { boundProperties } from '../../../platform/database/form.ts';
import { choice } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import '../tables.ts';

/** The flags of a project by name. */
export const flagList = list({
  id: 'feature_flags.id',
  scope: boundProperties<{ readonly project: number }>()({ values: ['project'] }),
  filters: {
    scope: choice({ enabled: sql`feature_flags.active = 1`, disabled: sql`feature_flags.active = 0` }),
  },
  orders: { name: byColumn('feature_flags.name', 'text') },
  select: (db, { project }) =>
    db.selectFrom('feature_flags').selectAll('feature_flags').where('feature_flags.project_id', '=', project),
});
