import { boundProperties } from '../../platform/database/form.ts';
import { SearchIndex } from '../../platform/database/search-index.ts';
import { param, withDefault } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';
import { errorStatuses } from './tables.ts';

const { search } = searchFilters({
  index: new SearchIndex({ table: 'error_tracking_errors', columns: ['title'] }),
  columns: { title: 'error_tracking_errors.title' },
});

/** The errors of a project. There is an index for each combination of status and order. */
export const errorList = list({
  id: 'error_tracking_errors.id',
  scope: boundProperties<{ project: number }>()({ values: ['project'] }),
  filters: {
    status: equals('error_tracking_errors.status', withDefault(param.oneOf(errorStatuses), 'unresolved')),
    search: { ...search, param: param.string({ description: 'Search term for the title' }) },
  },
  orders: {
    last_seen: byColumn('error_tracking_errors.last_seen', 'integer'),
    first_seen: byColumn('error_tracking_errors.first_seen', 'integer'),
    frequency: byColumn('error_tracking_errors.event_count', 'integer'),
  },
  select: (db, { project }) =>
    db
      .selectFrom('error_tracking_errors')
      .selectAll('error_tracking_errors')
      .where('error_tracking_errors.project_id', '=', project),
});
