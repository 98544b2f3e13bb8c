import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { driving } from '../../platform/list-kit/filter.ts';
import { compare } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn } from '../../platform/list-kit/order.ts';

/** The list of releases of a project. */
export const releaseList = list({
  id: 'releases.id',
  scope: boundProperties<{ readonly project: number }>()({ values: ['project'] }),
  filters: {
    updated_before: driving(compare('releases.updated_at', '<=', param.dateTime()), { scoped: true }),
    updated_after: driving(compare('releases.updated_at', '>=', param.dateTime()), { scoped: true }),
  },
  orders: {
    released_at: byColumn('releases.released_at', 'integer'),
    created_at: byColumn('releases.created_at', 'integer'),
  },
  lateRows: true,
  select: (db, { project }) =>
    db.selectFrom('releases').selectAll('releases').where('releases.project_id', '=', project),
});
