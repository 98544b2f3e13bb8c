import { type Expression, sql } from 'kysely';
import type { Actor } from '../../../access/actor.ts';
import { namespaceSearch, userSearch } from '../../../access/search.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type Viewer, viewerOf, visibleGroups } from '../../../access/visible.ts';
import { type BasicUserEntity, basicColumns, presentBasicUser } from '../../../people/users/public.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import type { PublicGroupEntity } from '../../groups/public.ts';
import { presentPublicGroup } from '../../groups/public.ts';

const inForce = (table: string, now: Expression<number>) =>
  sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

interface PeopleQuestion extends Searching {
  readonly project: number;
  readonly namespace: number;
  readonly now: number;
  readonly search?: string | undefined;
  readonly skip?: readonly number[] | undefined;
}

const people = form<PeopleQuestion>()({
  values: ['project', 'namespace', 'now', 'search', ...searchValues],
  lists: ['skip', ...searchLists],
});

/** Everyone with a role in a project: of its own, of the groups above, or through an invited group. */
function memberIds({ project, namespace, now }: AskedOf<typeof people>) {
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;
  return sql`
    select m.user_id from members m where m.project_id = ${project} and ${inForce('m', now)}
    union
    select m.user_id from members m where m.namespace_id in (${above}) and ${inForce('m', now)}
    union
    select m.user_id from project_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.project_id = ${project} and ${inForce('s', now)} and ${inForce('m', now)}
    union
    select m.user_id from group_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.namespace_id in (${above}) and ${inForce('s', now)} and ${inForce('m', now)}`;
}

const userList = shapedList(people, (db, ask, engine) => {
  let query = userSearch
    .narrow(db.selectFrom('users'), 'users.id', ask, engine)
    .select(basicColumns)
    .where(sql<boolean>`users.id in (${memberIds(ask)})`)
    .orderBy('users.id');
  const { search, skip } = ask;
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]),
    );
  }
  return skip ? query.where('users.id', 'not in', skip) : query;
});

const unlessEmpty = (ids: readonly number[] | undefined) => (ids && ids.length > 0 ? ids : undefined);

/** The people of a project, inherited ones included. */
export async function listUsers(
  { db, externalUrl }: Services,
  { project }: ProjectSubject,
  { search, skip_users }: { search?: string | undefined; skip_users?: readonly number[] | undefined },
  slice: PageRequest,
): Promise<Page<BasicUserEntity>> {
  const place = { project: project.id, namespace: project.namespace_id, now: Date.now() };
  const wanted = { search: search || undefined, ...searchFor(search), skip: unlessEmpty(skip_users) };
  const { rows, total } = await userSearch.page(userList, db.read, { ...place, ...wanted }, slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}

export interface GroupsOptions {
  readonly search?: string | undefined;
  readonly skip_groups?: readonly number[] | undefined;
  readonly with_shared: boolean;
  readonly shared_min_access_level?: number | undefined;
}

interface GroupsQuestion extends PeopleQuestion, Viewer {
  readonly with_shared: boolean;
  readonly least: number;
}

const groupsQuestion = form<GroupsQuestion>()({
  values: ['project', 'namespace', 'user', 'now', 'least', 'search', ...searchValues],
  lists: ['skip', ...searchLists],
});

const groupList = shapedList(groupsQuestion, (db, ask, engine) => {
  const { project, namespace, least, now, search, skip } = ask;
  const above = sql<number>`select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;
  const shared = sql<number>`select with_namespace_id from project_shares s
    where s.project_id = ${project} and s.access_level >= ${least} and ${inForce('s', now)}`;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => {
      const around = sql<boolean>`namespaces.id in (${above})`;
      if (!ask.with_shared) return around;
      const lent = sql<boolean>`namespaces.id in (${shared})`;
      // Whatever is asked: the name of a private group is not told to those who see a project it was invited to.
      return eb.or([around, eb.and([lent, visibleGroups(eb, ask)])]);
    })
    .orderBy('namespaces.id');
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return skip ? query.where('namespaces.id', 'not in', skip) : query;
});

/** The groups around a project and, where asked for, those it was shared with. */
export async function listGroups(
  { db, externalUrl }: Services,
  actor: Actor,
  { project }: ProjectSubject,
  options: GroupsOptions,
  slice: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const question = {
    ...viewerOf(actor),
    project: project.id,
    namespace: project.namespace_id,
    search: options.search || undefined,
    ...searchFor(options.search),
    skip: unlessEmpty(options.skip_groups),
    with_shared: options.with_shared,
    least: options.shared_min_access_level ?? 0,
  };
  const { rows, total } = await namespaceSearch.page(groupList, db.read, question, slice);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
