import type { Reader } from '../../platform/database/database.ts';

/** Users by lowercase username. */
export async function usersNamed(db: Reader, names: readonly string[]) {
  if (names.length === 0) return [];
  return db
    .selectFrom('users')
    .select(['id', 'username', 'name'])
    .where((eb) => eb(eb.fn<string>('lower', ['username']), 'in', names))
    .execute();
}

/** Groups by lowercase full path. */
export async function groupsAt(db: Reader, paths: readonly string[]) {
  if (paths.length === 0) return [];
  return db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['namespaces.id', 'namespaces.full_path', 'namespaces.name'])
    .where('routes.path', 'in', paths)
    .where('routes.redirect', '=', 0)
    .where('namespaces.kind', '=', 'group')
    .execute();
}
