import { type Actor, isAdmin } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { User } from '../../../access/tables.ts';
import { BadRequest, HttpError } from '../../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import type { ParamsOf } from '../../../platform/http/params.ts';
import type { ProjectEntity } from '../schema.ts';
import { presentProjects } from '../views/present.ts';
import type { View } from '../views/related.ts';
import type { ListBounds } from './bounds-list.ts';
import { projectList } from './list.ts';
import { type ListOptions, sizes } from './schema.ts';
import { scopeOf, waysOf } from './scope.ts';

export interface ListRequest {
  readonly options: ListOptions;
  readonly slice: PageRequest;
  /** Whether `pagination=keyset` was requested. */
  readonly keyset?: boolean;
}

function checkOptions({ updated_after, updated_before, order_by }: ListOptions): void {
  if (updated_after === undefined && updated_before === undefined) return;
  if (order_by !== 'updated_at') {
    throw new BadRequest('`updated_at` filter and `updated_at` sorting must be paired');
  }
}

/** Selects the view of list entries: basic for unauthenticated callers and `simple=true`. */
function listView(actor: Actor, options: ListOptions, signedIn: View['layer']): View {
  const layer = actor.user && !options.simple ? signedIn : 'basic';
  return { layer, statistics: options.statistics, customAttributes: options.with_custom_attributes };
}

type FilterParams = ParamsOf<typeof projectList.params>;
type ProjectFilters = { readonly [Name in keyof FilterParams]?: FilterParams[Name] | undefined };

/** Bounds of a project list. */
export type Bounds = ListBounds | { readonly forksOf: number };

function boundsOf(bounds: Bounds | undefined): ProjectFilters {
  if (!bounds) return {};
  if ('forksOf' in bounds) return { forked_from: bounds.forksOf };
  return bounds.within === 'group' ? { within: bounds } : { numbered: bounds };
}

/** Picks the filters from the options. */
function filtersAmong(options: ListOptions): ProjectFilters {
  const names = Object.keys(options).filter((name) => Object.hasOwn(projectList.params, name));
  return Object.fromEntries(names.map((name) => [name, options[name as keyof ListOptions]]));
}

/** Translates the options of an actor into a list request; without scopes if nothing can match. */
function requestOf({ db }: Services, actor: Actor, options: ListOptions, within: Bounds | undefined) {
  const whole = scopeOf(actor, options);
  const admin = isAdmin(actor);
  const { order_by = 'created_at', sort = 'desc' } = options;
  const filters: ProjectFilters = {
    ...boundsOf(within),
    ...filtersAmong(options),
    starred: actor.user ? options.starred : undefined,
    repository_storage: admin ? options.repository_storage : undefined,
    custom_attributes: admin ? options.custom_attributes : undefined,
  };
  const listable = whole.open.length > 0 || whole.guarded.length > 0;
  return {
    scopes: listable ? waysOf(db.read, whole) : undefined,
    filters,
    order: { by: sizes.includes(order_by) && !admin ? ('created_at' as const) : order_by, direction: sort },
  };
}

/** Lists the projects visible to the actor, optionally within bounds. */
export async function listProjects(
  services: Services,
  actor: Actor,
  { options, slice, keyset }: ListRequest,
  within?: Bounds,
  layer: View['layer'] = 'access',
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  checkOptions(options);
  if (keyset) return keysetPage(services, actor, { options, slice }, within, layer);
  const { scopes, filters, order } = requestOf(services, actor, options, within);
  if (!scopes) return new Page([], 0);
  const { rows, total } = await projectList.page(services.db.read, scopes, filters, order, slice);
  return new Page(await presentProjects(services, actor, rows, listView(actor, options, layer)), total);
}

async function keysetPage(
  services: Services,
  actor: Actor,
  { options, slice }: ListRequest,
  within: Bounds | undefined,
  layer: View['layer'],
): Promise<KeysetPage<ProjectEntity>> {
  if (options.order_by !== undefined && options.order_by !== 'id') {
    throw new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });
  }
  const { sort = 'desc' } = options;
  const first = { offset: 0, perPage: slice.perPage };
  const { scopes, filters, order } = requestOf(services, actor, { ...options, order_by: 'id', sort }, within);
  const rows = scopes ? await projectList.rows(services.db.read, scopes, filters, order, first) : [];
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

/** Lists the projects of a group, optionally including those of subgroups and ancestors and shared ones. */
export function listGroupProjects(
  services: Services,
  actor: Actor,
  group: GroupSubject,
  options: GroupListOptions,
  slice: PageRequest,
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  const within = {
    within: 'group',
    about: group.group.id,
    subgroups: options.include_subgroups === true,
    ancestors: options.include_ancestor_groups === true,
    lent: options.with_shared !== false,
  } as const;
  return listProjects(services, actor, { options, slice }, within, 'full');
}

/** Lists the projects shared with a group. */
export function listProjectsSharedWith(
  services: Services,
  actor: Actor,
  group: GroupSubject,
  options: ListOptions,
  slice: PageRequest,
): Promise<Page<ProjectEntity> | KeysetPage<ProjectEntity>> {
  return listProjects(services, actor, { options, slice }, { within: 'shared', about: group.group.id }, 'full');
}

/** Lists the projects in a user's personal namespace. */
export function listProjectsOf(services: Services, actor: Actor, user: User, request: ListRequest) {
  return listProjects(services, actor, request, { within: 'personal', about: user.id });
}

/** The activity of a private profile is visible to its user and to administrators only. */
function unlessPrivate(actor: Actor, user: User, within: ListBounds['within']): ListBounds {
  const hidden = user.private_profile === 1 && actor.user?.id !== user.id && !isAdmin(actor);
  return { within: hidden ? 'nothing' : within, about: user.id };
}

/** Lists the projects starred by a user. */
export function listStarredBy(services: Services, actor: Actor, user: User, request: ListRequest) {
  return listProjects(services, actor, request, unlessPrivate(actor, user, 'starred'));
}

/** Lists the projects a user contributed to. */
export function listContributedBy(services: Services, actor: Actor, user: User, request: ListRequest) {
  return listProjects(services, actor, request, unlessPrivate(actor, user, 'contributed'));
}
