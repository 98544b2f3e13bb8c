import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { avatarUrl } from '../../people/avatars/public.ts';
import { userAvatarUrl } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { groupUrl, hierarchySizes, ownedAmong } from '../groups/public.ts';
import type { MinutesEntity, NamespaceEntity } from './schema.ts';
import * as store from './store.ts';

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Compute minutes of top-level namespaces, keyed by id. */
    'namespaces.minutes': (
      services: Services,
      namespaces: readonly number[],
    ) => Promise<ReadonlyMap<number, MinutesEntity>>;
  }
}

type Counts = Pick<
  NamespaceEntity,
  'members_count_with_descendants' | 'root_repository_size' | 'projects_count' | 'billable_members_count'
>;

/** Member counts of groups, and project counts and sizes for their owners. */
async function countsOf(
  db: Reader,
  groups: readonly number[],
  owned: ReadonlySet<number>,
): Promise<Map<number, Counts>> {
  const ids = [...owned];
  const tops = await store.roots(db, ids);
  const [members, projects, sizes] = await Promise.all([
    store.countMembers(db, groups),
    store.countProjects(db, ids),
    hierarchySizes(db, [...new Set(tops.values())]),
  ]);
  return new Map(
    groups.map((id) => {
      const counted = members.get(id);
      const billable = { billable_members_count: counted?.billable ?? 0 };
      if (!owned.has(id)) return [id, billable];
      const owners = {
        members_count_with_descendants: counted?.members ?? 0,
        root_repository_size: sizes.get(tops.get(id) ?? id)?.repository ?? 0,
        projects_count: projects.get(id) ?? 0,
      };
      return [id, { ...owners, ...billable }];
    }),
  );
}

/** There are no paid plans: every namespace has the default plan. */
const plan = { plan: 'default', trial_ends_on: null, trial: false };

export async function presentNamespaces(
  services: Services,
  caller: SignedInActor,
  rows: readonly Namespace[],
): Promise<NamespaceEntity[]> {
  const { db, externalUrl } = services;
  const groups = rows.filter((row) => row.kind === 'group').map((row) => row.id);
  const people = rows.flatMap((row) => row.owner_id ?? []);
  const owned = await ownedAmong(db.read, caller, groups);
  const isTheirs = ({ id, owner_id }: Namespace) => isAdmin(caller) || owner_id === caller.user.id || owned.has(id);
  const tops = rows.filter((row) => row.parent_id === null && isTheirs(row)).map((row) => row.id);
  const [minutesOf] = services.contributions('namespaces.minutes');
  const [owners, counts, minutes] = await Promise.all([
    store.ownerAvatars(db.read, people),
    groups.length > 0 ? countsOf(db.read, groups, owned) : new Map<number, Counts>(),
    minutesOf && tops.length > 0 ? minutesOf(services, tops) : new Map<number, MinutesEntity>(),
  ]);
  return rows.map((row) => {
    const owner = row.owner_id == null ? undefined : owners.get(row.owner_id);
    return {
      id: row.id,
      name: row.name,
      path: row.path,
      kind: row.kind,
      full_path: row.full_path,
      parent_id: row.parent_id,
      avatar_url: owner ? userAvatarUrl(owner, externalUrl) : avatarUrl(externalUrl, 'group', row.id, row.avatar),
      web_url: row.kind === 'group' ? groupUrl(externalUrl, row.full_path) : `${externalUrl}/${row.full_path}`,
      ...(counts.get(row.id) ?? { billable_members_count: 1 }),
      ...minutes.get(row.id),
      ...(isTheirs(row) ? plan : {}),
    };
  });
}
