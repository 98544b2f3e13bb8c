import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { changeUser } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { updateGroup } from '../groups/public.ts';
import { listNamespaces as listRows, type NamespaceFilter } from './list.ts';
import { presentNamespaces } from './present.ts';
import type { ExistenceEntity, NamespaceChange, NamespaceEntity, SubscriptionEntity } from './schema.ts';
import * as store from './store.ts';

export async function listNamespaces(
  services: Services,
  caller: SignedInActor,
  filter: NamespaceFilter,
  page: PageRequest,
): Promise<Page<NamespaceEntity>> {
  const { rows, total } = await listRows(services.db.read, caller, filter, page);
  return new Page(await presentNamespaces(services, caller, rows), total);
}

/** Finds a namespace by id or path: the caller's personal namespace or a group in which the caller has a role. */
export async function getNamespace(services: Services, caller: SignedInActor, id: string): Promise<NamespaceEntity> {
  const namespace = await lookUpNamespace(services.db.read, id);
  if (!namespace || !(await belongsTo(services.db.read, caller, namespace))) throw new NotFound('Namespace');
  const [entity] = await presentNamespaces(services, caller, [namespace]);
  if (!entity) throw new NotFound('Namespace');
  return entity;
}

const maxMinutes = 2_147_483_647;

/** Updates the limits of compute minutes, which belong to the group or the user. */
export async function updateNamespace(
  services: Services,
  caller: SignedInActor,
  id: string,
  change: NamespaceChange,
): Promise<NamespaceEntity> {
  const { db } = services;
  const namespace = await lookUpNamespace(db.read, id);
  if (!namespace) throw new NotFound('Namespace');
  for (const [name, value] of Object.entries(change)) {
    if (value && (value < 0 || value > maxMinutes)) throw new Invalid({ [name]: [`must be in 0..${maxMinutes}`] });
  }
  if (namespace.kind === 'group') {
    await updateGroup(services, caller, await groupSubject(db.read, caller, namespace), {
      id: `${namespace.id}`,
      ...change,
    });
  } else {
    await db.write(async (trx) => {
      const owner = namespace.owner_id === null ? undefined : await lockRow(trx, 'users', namespace.owner_id);
      if (owner) await changeUser(services, trx, owner, change);
    });
  }
  return getNamespace(services, caller, `${namespace.id}`);
}

/** Returns the default subscription of a namespace with its seat usage, for clients that request it. */
export async function getSubscription(
  services: Services,
  caller: SignedInActor,
  id: string,
): Promise<SubscriptionEntity> {
  const namespace = await getNamespace(services, caller, id);
  // Only owners see the plan.
  if (namespace.plan === undefined) throw new Forbidden();
  return {
    plan: { code: namespace.plan, name: 'Default', trial: false, auto_renew: null, upgradable: false },
    usage: {
      seats_in_subscription: null,
      seats_in_use: namespace.billable_members_count,
      max_seats_used: null,
      seats_owed: null,
    },
    billing: { subscription_start_date: null, subscription_end_date: null, trial_ends_on: null },
  };
}

async function belongsTo(db: Reader, caller: SignedInActor, namespace: Namespace): Promise<boolean> {
  if (isAdmin(caller)) return true;
  if (namespace.kind === 'user') return namespace.owner_id === caller.user.id;
  return (await groupSubject(db, caller, namespace)).levels.highest > 0;
}

const perMinute = { count: 20, period: 60_000 };
const triedAtOnce = 50;

/** Whether a path is in use under a parent or at the top level. If so, also suggests an available path. */
export async function pathExists(
  { db, limits }: Services,
  caller: SignedInActor,
  path: string,
  parentId: number | undefined,
): Promise<ExistenceEntity> {
  // Reveals paths that the caller cannot see, so requests are rate-limited to prevent enumeration.
  await limits.spend('namespace_exists', caller.user.id, perMinute);
  const parent = parentId === undefined ? undefined : await lookUpNamespace(db.read, String(parentId));
  if (parentId !== undefined && !parent) return { exists: false, suggests: [] };
  const address = (name: string) => (parent ? `${parent.full_path}/${name}` : name).toLowerCase();
  const found = await store.addressesInUse(db.read, [address(path)]);
  if (!found.get(address(path))) return { exists: false, suggests: [] };
  return { exists: true, suggests: [await freePath(db.read, path, address)] };
}

/** Appends the lowest number that makes the path available. */
async function freePath(db: Reader, path: string, address: (name: string) => string): Promise<string> {
  for (let first = 1; ; first += triedAtOnce) {
    const names = Array.from({ length: triedAtOnce }, (_, index) => `${path}${first + index}`);
    const taken = await store.addressesInUse(db, names.map(address));
    const free = names.find((name) => !taken.has(address(name)));
    if (free !== undefined) return free;
  }
}
