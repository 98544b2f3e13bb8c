import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { memberGroups } from '../../../access/visible.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import type { PublicGroupEntity } from '../../groups/public.ts';
import { presentPublicGroup } from '../../groups/public.ts';

interface Question extends Searching {
  readonly namespace: number;
  readonly admin: boolean;
  /** Someone who may have projects in groups. */
  readonly user?: number | undefined;
  readonly now: number;
  readonly search?: string | undefined;
}

const question = form<Question>()({
  values: ['namespace', 'user', 'now', 'search', ...searchValues],
  lists: searchLists,
});

// Settings are packed by us, without spaces, and a quote inside a text would be escaped: this is found only as the key.
const createdBy = (...levels: string[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    levels.map((level) => sql`namespaces.settings like ${`%"project_creation_level":"${level}"%`}`),
    sql` or `,
  )})`;

/** Groups that take projects from the actor. */
function takesProjects(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: AskedOf<typeof question>,
): Expression<SqlBool> {
  if (admin) return eb.not(createdBy('noone'));
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    eb.and([memberGroups(eb, user, Role.owner, now), eb.not(createdBy('noone', 'administrator'))]),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(createdBy('noone', 'administrator', 'owner'))]),
  ]);
}

const locations = shapedList(question, (db, ask, engine) => {
  const query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where('namespaces.id', '!=', ask.namespace)
    .where((eb) => takesProjects(eb, ask))
    .orderBy('namespaces.name')
    .orderBy('namespaces.id');
  const { search } = ask;
  if (!search) return query;
  return query.where((eb) =>
    eb.or([contains(eb.ref('namespaces.full_name'), search), contains(eb.ref('namespaces.full_path'), search)]),
  );
});

/** The groups that a project can be moved into. */
export async function listTransferLocations(
  { db, externalUrl }: Services,
  actor: Actor,
  { project }: ProjectSubject,
  search: string | undefined,
  slice: PageRequest,
): Promise<Page<PublicGroupEntity>> {
  const user = actor.user?.external === 0 ? actor.user.id : undefined;
  const place = { namespace: project.namespace_id, admin: isAdmin(actor), user, now: Date.now() };
  const wanted = { ...place, search: search || undefined, ...searchFor(search) };
  const { rows, total } = await namespaceSearch.page(locations, db.read, wanted, slice);
  return new Page(rows, total).map((row) => presentPublicGroup(row, externalUrl));
}
