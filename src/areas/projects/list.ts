import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin, seesAll } from '../../access/actor.ts';
import { Role, Visibility } from '../../access/roles.ts';
import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { openVisibility } from '../../access/visible.ts';
import { BadRequest, HttpError } from '../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { filterConditions, filterSets, type ProjectSet, setOf } from './list-filter.ts';
import type { ListOptions } from './list-params.ts';
import { fetchProjects, type Ordering, type Scope } from './list-query.ts';
import { presentProjects, type View } from './present.ts';
import type { ProjectEntity } from './schema.ts';

export interface ListRequest {
  readonly options: ListOptions;
  readonly slice: PageRequest;
  /** `pagination=keyset` was sent. */
  readonly keyset?: boolean;
}

const levels = [Visibility.private, Visibility.internal, Visibility.public] as const;

const nothing = setOf(sql`select id from projects where 1 = 0`);

const starredBy = (user: number) => setOf(sql`select project_id as id from stars where user_id = ${user}`);

/** Which projects an actor gets who asks with these options. */
export function scopeOf(actor: Actor, options: ListOptions, within?: ProjectSet): Scope {
  const wanted = options.visibility === undefined ? levels : [Visibility[options.visibility]];
  const least = neededRole(options);
  const conditions = filterConditions(actor, options, least !== undefined);
  const { user } = actor;
  const starred = user && options.starred ? [starredBy(user.id)] : [];
  const [first, ...others] = [...(within ? [within] : []), ...starred, ...filterSets(options)];
  conditions.push(...others.map(({ holds }) => holds));
  const rest = { within: first, conditions };
  if (least !== undefined) {
    return user
      ? { ...rest, open: [], guarded: wanted, role: { user: user.id, least } }
      : { ...rest, open: [], guarded: [] };
  }
  if (seesAll(actor)) return { ...rest, open: wanted, guarded: [] };
  const open = openVisibility(actor);
  return {
    ...rest,
    open: wanted.filter((level) => level >= open),
    guarded: wanted.filter((level) => level < open),
    role: user ? { user: user.id } : undefined,
  };
}

/** `owned` beats `min_access_level` beats `membership`; a list by similarity is of one's own projects too. */
function neededRole({ owned, min_access_level, membership, order_by, search }: ListOptions): number | undefined {
  if (owned) return Role.owner;
  if (min_access_level !== undefined) return min_access_level;
  return membership || (order_by === 'similarity' && search) ? Role.guest : undefined;
}

const sizes = new Set(['storage_size', 'repository_size', 'wiki_size', 'packages_size']);

function orderingOf(actor: Actor, { order_by = 'created_at', sort = 'desc', search }: ListOptions): Ordering {
  const by = sizes.has(order_by) && !isAdmin(actor) ? 'created_at' : order_by;
  return { by, direction: sort, search: search?.trim() || undefined };
}

function checkOptions({ updated_after, updated_before, order_by }: ListOptions): void {
  if (updated_after === undefined && updated_before === undefined) return;
  if (order_by !== 'updated_at') {
    throw new BadRequest('`updated_at` filter and `updated_at` sorting must be paired');
  }
}

/** The view of lists: basic for nobody in particular, and when asked for. */
function listView(actor: Actor, options: ListOptions, signedIn: View['layer']): View {
  const layer = actor.user && !options.simple ? signedIn : 'basic';
  return { layer, statistics: options.statistics, customAttributes: options.with_custom_attributes };
}

/** One page of the projects that the actor sees, all of them or those within some bounds. */
export async function listProjects(
  services: Services,
  actor: Actor,
  { options, slice, keyset }: ListRequest,
  within?: ProjectSet,
  layer: View['layer'] = 'access',
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  checkOptions(options);
  if (keyset) return keysetPage(services, actor, { options, slice }, within, layer);
  const scope = scopeOf(actor, options, within);
  const { rows, total } = await fetchProjects(services.db.read, scope, orderingOf(actor, options), slice);
  return new Page(await presentProjects(services, actor, rows, listView(actor, options, layer)), total);
}

async function keysetPage(
  services: Services,
  actor: Actor,
  { options, slice }: ListRequest,
  within: ProjectSet | undefined,
  layer: View['layer'],
): Promise<KeysetPage<ProjectEntity>> {
  if (options.order_by !== undefined && options.order_by !== 'id') {
    throw new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });
  }
  const { sort = 'desc' } = options;
  const scope = scopeOf(actor, options, within);
  const first = { offset: 0, perPage: slice.perPage };
  const { rows } = await fetchProjects(services.db.read, scope, { by: 'id', direction: sort }, first, false);
  const items = await presentProjects(services, actor, rows, listView(actor, options, layer));
  const last = rows.at(-1);
  const next = last && { order_by: 'id', sort, [sort === 'asc' ? 'id_after' : 'id_before']: `${last.id}` };
  return new KeysetPage(items, next);
}

export interface GroupListOptions extends ListOptions {
  readonly with_shared?: boolean;
  readonly include_subgroups?: boolean;
  readonly include_ancestor_groups?: boolean;
}

/** The projects of a group, with those below, above and shared with it as asked. */
export function listGroupProjects(
  services: Services,
  actor: Actor,
  group: GroupSubject,
  options: GroupListOptions,
  slice: PageRequest,
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  return listProjects(services, actor, { options, slice }, inGroup(group.group.id, options), 'full');
}

function inGroup(id: number, options: GroupListOptions): ProjectSet {
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${id}`;
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${id}`;
  const own = options.include_subgroups ? below : sql`${id}`;
  const inside = options.include_ancestor_groups
    ? sql<SqlBool>`(projects.namespace_id in (${own}) or projects.namespace_id in (${above}))`
    : sql<SqlBool>`projects.namespace_id in (${own})`;
  const lent = sharedWith(own);
  if (options.with_shared === false) return { ids: sql`select id from projects where ${inside}`, holds: () => inside };
  return {
    ids: sql`select id from projects where ${inside} union all ${lent}`,
    holds: (eb) => eb.or([inside, sql<SqlBool>`projects.id in (${lent})`]),
  };
}

const sharedWith = (groups: RawBuilder<unknown>) => sql`select project_id as id from project_shares
  where with_namespace_id in (${groups}) and (expires_at is null or expires_at > ${Date.now()})`;

/** The projects that were shared with a group. */
export function listProjectsSharedWith(
  services: Services,
  actor: Actor,
  group: GroupSubject,
  options: ListOptions,
  slice: PageRequest,
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  return listProjects(services, actor, { options, slice }, setOf(sharedWith(sql`${group.group.id}`)), 'full');
}

/** The forks of a project. */
export function listForks(services: Services, actor: Actor, { project }: ProjectSubject, request: ListRequest) {
  const forks = setOf(sql`select id from projects where forked_from_id = ${project.id}`);
  return listProjects(services, actor, request, forks);
}

/** The projects in a user's own namespace. */
export function listProjectsOf(services: Services, actor: Actor, user: User, request: ListRequest) {
  const personal = sql`select p.id from projects p join namespaces n on n.id = p.namespace_id where n.owner_id = ${user.id}`;
  return listProjects(services, actor, request, setOf(personal));
}

/** A private profile shows what its owner did to them and to administrators alone. */
function unlessPrivate(actor: Actor, user: User, set: ProjectSet): ProjectSet {
  return user.private_profile === 1 && actor.user?.id !== user.id && !isAdmin(actor) ? nothing : set;
}

/** The projects that a user starred. */
export function listStarredBy(services: Services, actor: Actor, user: User, request: ListRequest) {
  return listProjects(services, actor, request, unlessPrivate(actor, user, starredBy(user.id)));
}

/** The projects that a user pushed to, or otherwise acted in. */
export function listContributedBy(services: Services, actor: Actor, user: User, request: ListRequest) {
  const acted = sql`select distinct project_id as id from events where author_id = ${user.id} and project_id is not null`;
  return listProjects(services, actor, request, unlessPrivate(actor, user, setOf(acted)));
}
