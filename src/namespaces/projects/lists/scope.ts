import { type Actor, canReadEverything, isAdmin } from '../../../access/actor.ts';
import { Role, Visibility } from '../../../access/roles.ts';
import { lowestVisibilityWithoutRole } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import { memberProjectsSize, type ProjectScope } from './list.ts';
import type { ListOptions } from './schema.ts';

const levels = [Visibility.private, Visibility.internal, Visibility.public] as const;

/** Which projects the actor can list, by visibility level and role. */
export function scopeOf(actor: Actor, options: ListOptions): ProjectScope {
  const least = neededRole(options);
  const { order_by, search } = options;
  return {
    ...visibilitiesFor(actor, options, least),
    least: least ?? Role.guest,
    user: actor.user?.id,
    now: Date.now(),
    admin: isAdmin(actor),
    ofMembers: least !== undefined,
    walked: false,
    likeness: order_by === 'similarity' ? search?.trim().toLowerCase() || undefined : undefined,
  };
}

function visibilitiesFor(actor: Actor, { visibility }: ListOptions, least: number | undefined) {
  const requested = visibility === undefined ? levels : [Visibility[visibility]];
  if (least !== undefined) return { open: [], guarded: actor.user ? requested : [] };
  if (canReadEverything(actor)) return { open: requested, guarded: [] };
  const open = lowestVisibilityWithoutRole(actor);
  return {
    open: requested.filter((level) => level >= open),
    guarded: actor.user ? requested.filter((level) => level < open) : [],
  };
}

/**
 * `owned` takes precedence over `min_access_level` and `membership`. A list sorted by similarity is restricted to the
 * caller's projects too.
 */
function neededRole({ owned, min_access_level, membership, order_by, search }: ListOptions): number | undefined {
  if (owned) return Role.owner;
  if (min_access_level !== undefined) return min_access_level;
  return membership || (order_by === 'similarity' && search) ? Role.guest : undefined;
}

/** Chooses how the list is read: in one query, or split by visibility level. */
export function waysOf(db: Reader, whole: ProjectScope): ReadStrategies<ProjectScope> {
  return { whole, walked: () => walkedScopes(db, whole) };
}

/** One scope per visibility level, or one for the caller's own projects if they are few. */
async function walkedScopes(db: Reader, whole: ProjectScope): Promise<{ scopes: ProjectScope[]; few: boolean }> {
  const { open, guarded, user } = whole;
  const walks = open.map((level) => ({ ...whole, walked: true, open: [level], guarded: [] }));
  if (user === undefined || guarded.length === 0) return { scopes: walks, few: false };
  const held = await memberProjectsSize(db, user, whole);
  if (held === 'none' && walks.length > 0) return { scopes: walks, few: false };
  const own = held === 'many' ? undefined : ('few' as const);
  const mine = own ? [guarded] : guarded.map((level) => [level]);
  const scopes = [...walks, ...mine.map((seen) => ({ ...whole, walked: true, open: [], guarded: seen, own }))];
  return { scopes, few: own !== undefined && open.length === 0 };
}
