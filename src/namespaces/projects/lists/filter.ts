import { type Actor, isAdmin, seesAll } from '../../../access/actor.ts';
import { Role, Visibility } from '../../../access/roles.ts';
import { openVisibility } from '../../../access/visible.ts';
import type { Pairs } from '../../../people/custom-attributes/public.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import type { ListOptions, ProjectOrder } from './schema.ts';
import { searchTerms } from './search-terms.ts';

/** The bounds of a list: the projects of a place, or of a person. */
export interface Within {
  readonly within: 'group' | 'shared' | 'forks' | 'personal' | 'starred' | 'contributed' | 'nothing';
  /** The group, project or user that it is about. */
  readonly about?: number;
  readonly subgroups?: boolean;
  readonly ancestors?: boolean;
  readonly lent?: boolean;
}

/** What a list of projects is asked with. */
export interface ProjectQuestion extends Searching, Partial<Within> {
  /** Visibilities that the caller sees without a role. */
  readonly open: readonly number[];
  /** Visibilities that take a role, and the least that will do. */
  readonly guarded: readonly number[];
  readonly least: number;
  readonly user?: number | undefined;
  readonly now: number;
  readonly admin: boolean;
  /** Only members get the list at all. */
  readonly ofMembers: boolean;
  readonly archived?: boolean | undefined;
  readonly active?: boolean | undefined;
  /** Words that must all be contained; or what must be there as a whole. */
  readonly words?: readonly string[] | undefined;
  readonly whole?: string | undefined;
  readonly search_namespaces?: boolean | undefined;
  /** The only word, and neither `/` nor space in it: it cannot lie across a namespace and a project. */
  readonly alone?: boolean | undefined;
  readonly imported?: boolean | undefined;
  readonly with_issues_enabled?: boolean | undefined;
  readonly with_merge_requests_enabled?: boolean | undefined;
  /** A filter was sent that nothing passes. */
  readonly impossible: boolean;
  readonly repository_storage?: string | undefined;
  readonly attributes?: Pairs | undefined;
  readonly id_after?: number | undefined;
  readonly id_before?: number | undefined;
  readonly last_activity_after?: number | undefined;
  readonly last_activity_before?: number | undefined;
  readonly updated_after?: number | undefined;
  readonly updated_before?: number | undefined;
  readonly marked?: string | undefined;
  readonly starred: boolean;
  readonly topic?: readonly string[] | undefined;
  readonly topic_id?: number | undefined;
  readonly language?: string | undefined;
  readonly by: ProjectOrder;
  readonly direction: 'asc' | 'desc';
  /** What `similarity` compares with. */
  readonly likeness?: string | undefined;
  /** Which of the sets that bound the list is asked for by itself. */
  readonly set?: number;
  /** All that the list can hold, where that is not many; and what was found to be so few. */
  readonly few?: readonly number[] | undefined;
  readonly fewest?: 'set' | 'search';
  /** The projects in which the user holds a role, where they are not many. */
  readonly own?: readonly number[] | undefined;
  readonly offset?: number;
  readonly perPage?: number;
  /** Where the page ends: no branch of the list is needed beyond. */
  readonly end?: number;
}

export const projectQuestion = form<ProjectQuestion>()({
  values: [
    'about',
    'least',
    'user',
    'now',
    'words',
    'whole',
    'repository_storage',
    'attributes',
    'id_after',
    'id_before',
    'last_activity_after',
    'last_activity_before',
    'updated_after',
    'updated_before',
    'marked',
    'topic',
    'topic_id',
    'language',
    'likeness',
    'offset',
    'perPage',
    'end',
    ...searchValues,
  ],
  lists: ['few', 'own', ...searchLists],
});
export type ProjectAsk = AskedOf<typeof projectQuestion>;

const levels = [Visibility.private, Visibility.internal, Visibility.public] as const;

/** What the options mean when this actor sends them. */
export function questionOf(actor: Actor, options: ListOptions, within?: Within): ProjectQuestion {
  const { user } = actor;
  const admin = isAdmin(actor);
  const least = neededRole(options);
  const { custom_attributes, topic } = options;
  const terms = searchTerms(options.search);
  return {
    ...within,
    ...visibilitiesFor(actor, options, least),
    least: least ?? Role.guest,
    user: user?.id,
    now: Date.now(),
    admin,
    ofMembers: least !== undefined,
    archived: options.archived,
    active: options.active,
    words: terms && 'contained' in terms ? terms.contained : undefined,
    ...(terms && 'contained' in terms ? searchFor(...terms.contained) : {}),
    whole: terms && 'whole' in terms ? terms.whole : undefined,
    search_namespaces: terms && options.search_namespaces,
    alone: terms && 'contained' in terms && terms.contained.length === 1 && !/[/ ]/.test(terms.contained[0] ?? ''),
    imported: options.imported || undefined,
    with_issues_enabled: options.with_issues_enabled || undefined,
    with_merge_requests_enabled: options.with_merge_requests_enabled || undefined,
    // Repositories are not verified against copies elsewhere, so none has failed.
    impossible: options.wiki_checksum_failed === true || options.repository_checksum_failed === true,
    repository_storage: (admin && options.repository_storage) || undefined,
    attributes: admin && custom_attributes ? Object.entries(custom_attributes) : undefined,
    id_after: options.id_after,
    id_before: options.id_before,
    last_activity_after: options.last_activity_after,
    last_activity_before: options.last_activity_before,
    updated_after: options.updated_after,
    updated_before: options.updated_before,
    marked: options.marked_for_deletion_on,
    starred: user !== null && options.starred === true,
    topic: topic && topic.length > 0 ? topic : undefined,
    topic_id: options.topic_id,
    language: options.with_programming_language || undefined,
    ...orderingOf(admin, options),
  };
}

function visibilitiesFor(actor: Actor, { visibility }: ListOptions, least: number | undefined) {
  const wanted = visibility === undefined ? levels : [Visibility[visibility]];
  if (least !== undefined) return { open: [], guarded: actor.user ? wanted : [] };
  if (seesAll(actor)) return { open: wanted, guarded: [] };
  const open = openVisibility(actor);
  return {
    open: wanted.filter((level) => level >= open),
    guarded: actor.user ? wanted.filter((level) => level < open) : [],
  };
}

/** `owned` beats `min_access_level` beats `membership`; a list by similarity is of one's own projects too. */
function neededRole({ owned, min_access_level, membership, order_by, search }: ListOptions): number | undefined {
  if (owned) return Role.owner;
  if (min_access_level !== undefined) return min_access_level;
  return membership || (order_by === 'similarity' && search) ? Role.guest : undefined;
}

const sizes = new Set(['storage_size', 'repository_size', 'wiki_size', 'packages_size']);

function orderingOf(admin: boolean, { order_by = 'created_at', sort = 'desc', search }: ListOptions) {
  const by = sizes.has(order_by) && !admin ? 'created_at' : order_by;
  const likeness = by === 'similarity' ? search?.trim().toLowerCase() || undefined : undefined;
  return { by, direction: sort, likeness };
}
