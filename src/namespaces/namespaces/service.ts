import { type Actor, isAdmin } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import { avatarUrl } from '../../people/avatars/public.ts';
import { userAvatarUrl } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { groupUrl, hierarchySizes } from '../groups/public.ts';
import type { ExistenceEntity, NamespaceEntity } from './schema.ts';
import * as store from './store.ts';

export async function listNamespaces(
  services: Services,
  actor: Actor,
  filter: store.NamespaceFilter,
  page: PageRequest,
): Promise<Page<NamespaceEntity>> {
  const { rows, total } = await store.listNamespaces(services.db.read, actor, filter, page);
  return new Page(await present(services, actor, rows), total);
}

/** A namespace by number or path: one's own, or a group that one has a role in. */
export async function getNamespace(services: Services, actor: Actor, id: string): Promise<NamespaceEntity> {
  const namespace = await lookUpNamespace(services.db.read, id);
  if (!namespace || !(await belongsTo(services.db.read, actor, namespace))) throw new NotFound('Namespace');
  const [entity] = await present(services, actor, [namespace]);
  return entity as NamespaceEntity;
}

async function belongsTo(db: Reader, actor: Actor, namespace: Namespace): Promise<boolean> {
  if (isAdmin(actor)) return true;
  if (namespace.kind === 'user') return namespace.owner_id === actor.user?.id;
  return (await groupSubject(db, actor, namespace)).levels.highest > 0;
}

type Counts = Pick<
  NamespaceEntity,
  'members_count_with_descendants' | 'root_repository_size' | 'projects_count' | 'billable_members_count'
>;

/** What the Owners of groups are told besides. */
async function countsFor(db: Reader, actor: Actor, groups: readonly number[]): Promise<(id: number) => Counts> {
  const owned = isAdmin(actor) ? new Set(groups) : await store.ownedAmong(db, actor.user?.id ?? 0, groups);
  if (owned.size === 0) return () => ({});
  const ids = [...owned];
  const tops = await store.roots(db, ids);
  const [projects, members, sizes] = await Promise.all([
    store.countProjects(db, ids),
    store.countMembers(db, ids),
    hierarchySizes(db, [...new Set(tops.values())]),
  ]);
  return (id) => {
    if (!owned.has(id)) return {};
    const counted = members.get(id);
    return {
      members_count_with_descendants: counted?.members ?? 0,
      root_repository_size: sizes.get(tops.get(id) ?? id)?.repository ?? 0,
      projects_count: projects.get(id) ?? 0,
      billable_members_count: counted?.billable ?? 0,
    };
  };
}

async function present(
  { db, externalUrl }: Services,
  actor: Actor,
  rows: readonly Namespace[],
): Promise<NamespaceEntity[]> {
  const groups = rows.filter((row) => row.kind === 'group').map((row) => row.id);
  const people = rows.flatMap((row) => row.owner_id ?? []);
  const [owners, counts] = await Promise.all([store.ownerAvatars(db.read, people), countsFor(db.read, actor, groups)]);
  return rows.map((row) => {
    const owner = owners.get(row.owner_id ?? 0);
    return {
      id: row.id,
      name: row.name,
      path: row.path,
      kind: row.kind,
      full_path: row.full_path,
      parent_id: row.parent_id,
      avatar_url: owner ? userAvatarUrl(owner, externalUrl) : avatarUrl(externalUrl, 'group', row.id, row.avatar),
      web_url: row.kind === 'group' ? groupUrl(externalUrl, row.full_path) : `${externalUrl}/${row.full_path}`,
      ...(row.kind === 'group' ? counts(row.id) : {}),
    };
  });
}

const perMinute = { count: 20, period: 60_000 };
const triedAtOnce = 50;

/** Is a path in use beside the others of a parent, or at the top? If so, one that is free. */
export async function pathExists(
  { db, limits }: Services,
  actor: Actor,
  path: string,
  parentId: number | undefined,
): Promise<ExistenceEntity> {
  // It tells of names that the caller may not see: whoever tries a list of words is stopped soon.
  await limits.spend('namespace_exists', actor.user?.id ?? 0, perMinute);
  const parent = parentId === undefined ? undefined : await lookUpNamespace(db.read, String(parentId));
  if (parentId !== undefined && !parent) return { exists: false, suggests: [] };
  const address = (name: string) => (parent ? `${parent.full_path}/${name}` : name).toLowerCase();
  const found = await store.addressesInUse(db.read, [address(path)]);
  if (!found.get(address(path))) return { exists: false, suggests: [] };
  return { exists: true, suggests: [await freePath(db.read, path, address)] };
}

/** The path with the lowest number behind it that makes it free. */
async function freePath(db: Reader, path: string, address: (name: string) => string): Promise<string> {
  for (let first = 1; ; first += triedAtOnce) {
    const names = Array.from({ length: triedAtOnce }, (_, index) => `${path}${first + index}`);
    const taken = await store.addressesInUse(db, names.map(address));
    const free = names.find((name) => !taken.has(address(name)));
    if (free !== undefined) return free;
  }
}
