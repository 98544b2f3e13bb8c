import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { memberGroups, visibleGroups } from '../../access/visible.ts';
import { contains } from '../../platform/database/expressions.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { type Additions, presentGroups } from '../groups/present.ts';
import type { GroupEntity } from '../groups/schema.ts';

const inForce = (table: string, now: number) =>
  sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

type Namespaces = ExpressionBuilder<Tables, 'namespaces'>;

export interface InvitedOptions extends Additions {
  readonly relation?: readonly ('direct' | 'inherited')[] | undefined;
  readonly search?: string | undefined;
  readonly min_access_level?: number | undefined;
}

/** The groups that were invited to a project, or to a group around it. */
export function listInvitedGroups(
  services: Services,
  actor: Actor,
  { project }: ProjectSubject,
  options: InvitedOptions,
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const now = Date.now();
  const direct = sql<SqlBool>`namespaces.id in (select s.with_namespace_id from project_shares s
    where s.project_id = ${project.id} and ${inForce('s', now)})`;
  const inherited = sql<SqlBool>`namespaces.id in (select s.with_namespace_id from group_shares s
    join namespace_ancestors a on a.ancestor_id = s.namespace_id
    where a.namespace_id = ${project.namespace_id} and ${inForce('s', now)})`;
  const asked = options.relation?.length ? options.relation : ['direct', 'inherited'];
  const invited = (eb: Namespaces) => {
    const ways = [...(asked.includes('direct') ? [direct] : []), ...(asked.includes('inherited') ? [inherited] : [])];
    const seen = eb.and([eb.or(ways), visibleGroups(eb, actor)]);
    const least = options.min_access_level;
    return least === undefined ? seen : eb.and([seen, memberGroups(eb, actor.user?.id ?? 0, least)]);
  };
  return pageOfGroups(services, actor, invited, options, slice);
}

/** The groups that a project can be shared with: those the caller has a role in, not yet related to it. */
export function listShareLocations(
  services: Services,
  actor: Actor,
  { project }: ProjectSubject,
  options: { readonly search?: string | undefined },
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const related = sql`select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id}
    union all select with_namespace_id from project_shares where project_id = ${project.id}`;
  const possible = (eb: Namespaces) => {
    const free = sql<SqlBool>`namespaces.id not in (${related})`;
    return isAdmin(actor) ? free : eb.and([free, memberGroups(eb, actor.user?.id ?? 0)]);
  };
  return pageOfGroups(services, actor, possible, options, slice);
}

async function pageOfGroups(
  { db, externalUrl }: Services,
  actor: Actor,
  which: (eb: Namespaces) => Expression<SqlBool>,
  options: Additions & { readonly search?: string | undefined },
  slice: PageRequest,
): Promise<Page<GroupEntity>> {
  const { search } = options;
  let query = db.read
    .selectFrom('namespaces')
    .selectAll('namespaces')
    .where('namespaces.kind', '=', 'group')
    .where((eb) => which(eb));
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  const { rows, total } = await fetchPage(db.read, query.orderBy('namespaces.id'), slice);
  return new Page(await presentGroups(db.read, actor, externalUrl, rows, options), total);
}
