import { boundProperties } from '../../../platform/database/form.ts';
import { SearchIndex } from '../../../platform/database/search-index.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import '../tables.ts';

const index = new SearchIndex({ table: 'feature_flag_user_lists', columns: ['name'] });
const { search } = searchFilters({ index, columns: { name: 'feature_flag_user_lists.name' } });

/** The user lists of a project in creation order. */
export const userLists = list({
  id: 'feature_flag_user_lists.id',
  scope: boundProperties<{ readonly project: number }>()({ values: ['project'] }),
  filters: { search },
  orders: { id: byId },
  select: (db, { project }) =>
    db
      .selectFrom('feature_flag_user_lists')
      .selectAll('feature_flag_user_lists')
      .where('feature_flag_user_lists.project_id', '=', project),
});
