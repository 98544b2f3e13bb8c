import { userSearch } from '../../../access/search.ts';
import { basicColumns } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';

interface StarrersFilter {
  readonly project: number;
  readonly admin: boolean;
  readonly viewer: number;
  readonly search?: string | undefined;
}

const starrers = shapedList(
  form<StarrersFilter & Searching>()({ values: ['project', 'viewer', 'search', ...searchValues], lists: searchLists }),
  (db, { project, admin, viewer, search, ...ask }, engine) => {
    const from = db.selectFrom('stars').innerJoin('users', 'users.id', 'stars.user_id');
    let query = userSearch
      .narrow(from, 'users.id', ask, engine)
      .select(basicColumns)
      .select('stars.created_at as starred_at')
      .where('stars.project_id', '=', project)
      .where('users.state', '=', 'active')
      .orderBy('stars.created_at', 'desc')
      .orderBy('users.id', 'desc');
    if (!admin) query = query.where((eb) => eb.or([eb('users.private_profile', '=', 0), eb('users.id', '=', viewer)]));
    if (!search) return query;
    return query.where((eb) =>
      eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]),
    );
  },
);

/** Who starred a project, the latest first. */
export function listStarrers(db: Reader, { search, ...filter }: StarrersFilter, slice: Slice) {
  const wanted = { ...filter, search: search || undefined, ...searchFor(search) };
  return userSearch.page(starrers, db, wanted, slice);
}
