import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { memberGroups, type Viewer, viewerOf, visibleGroups } from '../../../access/visible.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { Page, type PageRequest } from '../../../platform/http/pagination.ts';
import type { GroupEntity } from '../../groups/public.ts';
import { type Additions, presentGroups } from '../../groups/public.ts';

export interface InvitedOptions extends Additions {
  readonly relation?: readonly ('direct' | 'inherited')[] | undefined;
  readonly search?: string | undefined;
  readonly min_access_level?: number | undefined;
}

interface Question extends Viewer, Searching {
  readonly project: number;
  readonly namespace: number;
  /** The groups that were invited to the project, or to a group around it; or those that still can be. */
  readonly direct: boolean;
  readonly inherited: boolean;
  readonly least?: number | undefined;
  readonly search?: string | undefined;
}

const question = form<Question>()({
  values: ['project', 'namespace', 'user', 'now', 'least', 'search', ...searchValues],
  lists: searchLists,
});
type Ask = AskedOf<typeof question>;
type Namespaces = ExpressionBuilder<Tables, 'namespaces'>;

const inForce = ({ now }: Ask) => sql<SqlBool>`(s.expires_at is null or s.expires_at > ${now})`;

function invited(eb: Namespaces, ask: Ask): Expression<SqlBool> {
  const ways: Expression<SqlBool>[] = [];
  if (ask.direct) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from project_shares s
      where s.project_id = ${ask.project} and ${inForce(ask)})`);
  }
  if (ask.inherited) {
    ways.push(sql<SqlBool>`namespaces.id in (select s.with_namespace_id from group_shares s
      join namespace_ancestors a on a.ancestor_id = s.namespace_id
      where a.namespace_id = ${ask.namespace} and ${inForce(ask)})`);
  }
  return eb.and([eb.or(ways), visibleGroups(eb, ask)]);
}

/** Not related to the project yet. */
function free(ask: Ask): Expression<SqlBool> {
  return sql<SqlBool>`namespaces.id not in (
    select ancestor_id from namespace_ancestors where namespace_id = ${ask.namespace}
    union all select with_namespace_id from project_shares where project_id = ${ask.project})`;
}

const groupList = shapedList(question, (db, ask, engine) => {
  const { user, least, now, search } = ask;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => (ask.direct || ask.inherited ? invited(eb, ask) : free(ask)))
    .orderBy('namespaces.id');
  if (least) query = query.where((eb) => memberGroups(eb, user ?? 0, least, now));
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return query;
});

async function pageOf(
  { db, externalUrl }: Services,
  actor: Actor,
  { project }: ProjectSubject,
  which: Pick<Question, 'direct' | 'inherited' | 'least'>,
  options: Additions & { readonly search?: string | undefined },
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const { search } = options;
  const place = { project: project.id, namespace: project.namespace_id, search: search || undefined };
  const wanted = { ...viewerOf(actor), ...place, ...which, ...searchFor(search) };
  const { rows, total } = await namespaceSearch.page(groupList, db.read, wanted, slice);
  return new Page(await presentGroups(db.read, actor, externalUrl, rows, options), total);
}

/** The groups that were invited to a project, or to a group around it. */
export function listInvitedGroups(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  options: InvitedOptions,
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const asked = options.relation?.length ? options.relation : ['direct', 'inherited'];
  const which = { direct: asked.includes('direct'), inherited: asked.includes('inherited') };
  return pageOf(services, actor, subject, { ...which, least: options.min_access_level }, options, slice);
}

/** The groups that a project can be shared with: those the caller has a role in, not yet related to it. */
export function listShareLocations(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  options: { readonly search?: string | undefined },
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const least = isAdmin(actor) ? undefined : Role.minimal;
  return pageOf(services, actor, subject, { direct: false, inherited: false, least }, options, slice);
}
