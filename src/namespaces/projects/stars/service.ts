import { userSearch } from '../../../access/search.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project, User } from '../../../access/tables.ts';
import { type BasicUserEntity, basicColumns, presentBasicUser } from '../../../people/users/public.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import { NotModified } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { countUp, findProject } from '../store.ts';

/** Stars a project, or takes the star back; 304 when nothing changes. */
export async function starProject(
  { db }: Services,
  user: User,
  { project: { id } }: ProjectSubject,
  wanted: boolean,
): Promise<Project> {
  return db.write(async (trx) => {
    const changed = wanted
      ? await trx
          .insertInto('stars')
          .values({ user_id: user.id, project_id: id, created_at: Date.now() })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
          .then((result) => Number(result.numInsertedOrUpdatedRows ?? 0))
      : await trx
          .deleteFrom('stars')
          .where('user_id', '=', user.id)
          .where('project_id', '=', id)
          .executeTakeFirst()
          .then((result) => Number(result.numDeletedRows));
    if (changed === 0) throw new NotModified();
    await countUp(trx, id, 'star_count', wanted ? 1 : -1);
    return (await findProject(trx, id)) as Project;
  });
}

interface StarrersQuestion extends Searching {
  readonly project: number;
  readonly admin: boolean;
  readonly viewer: number;
  readonly search?: string | undefined;
}

const starrers = shapedList(
  form<StarrersQuestion>()({ values: ['project', 'viewer', 'search', ...searchValues], lists: searchLists }),
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

/** Who starred a project; people whose profile is private are not told of. */
export async function listStarrers(
  { db, externalUrl }: Services,
  viewer: User | null,
  { project }: ProjectSubject,
  search: string | undefined,
  slice: PageRequest,
): Promise<Page<{ starred_since: string; user: BasicUserEntity }>> {
  const question = { project: project.id, admin: viewer?.admin === 1, viewer: viewer?.id ?? 0 };
  const wanted = { ...question, search: search || undefined, ...searchFor(search) };
  const { rows, total } = await userSearch.page(starrers, db.read, wanted, slice);
  return new Page(rows, total).map(({ starred_at, ...user }) => ({
    starred_since: instant(starred_at),
    user: presentBasicUser(user, externalUrl),
  }));
}
