import { sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import { basicColumns } from '../../../people/users/public.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import { storedCount } from '../../../platform/list-kit/stored-count.ts';

interface StarrersScope {
  readonly project: number;
  readonly admin: boolean;
  readonly viewer: number | undefined;
}

/** Users who starred a project. */
export const starrers = list({
  // The column of the stars index, which is in the order of the list.
  id: 'stars.user_id',
  scope: boundProperties<StarrersScope>()({ values: ['project', 'viewer'] }),
  filters: {
    search: searchFilters({
      index: userSearch,
      columns: { name: 'users.name', username: 'users.username' },
      byWords: true,
    }).search,
  },
  kept: ({ project, admin, viewer }) => {
    const shown = storedCount('stars.shown', project);
    if (admin) return sql`${shown} + ${storedCount('stars.private', project)}`;
    if (!viewer) return shown;
    return sql`${shown} + (select count(*) from stars s join users u on u.id = s.user_id
      where s.project_id = ${project} and s.user_id = ${viewer} and u.state = 'active' and u.private_profile = 1)`;
  },
  orders: { starred_since: byColumn('stars.created_at', 'integer') },
  select: (db, { project, admin, viewer }) => {
    const query = db
      .selectFrom('stars')
      .innerJoin('users', (join) => join.onRef('users.id', '=', 'stars.user_id').on('stars.project_id', '=', project))
      .select(basicColumns)
      .select(['stars.created_at as starred_at', 'stars.user_id'])
      .where('users.state', '=', 'active');
    if (admin) return query;
    return query.where((eb) => {
      const open = eb('users.private_profile', '=', 0);
      return viewer ? eb.or([open, eb('users.id', '=', viewer)]) : open;
    });
  },
});
