import type { Project } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';

/** Finds the project with one of these paths. At most one can match, because the paths are nested. */
export async function projectAmong(
  db: Reader,
  paths: readonly string[],
): Promise<{ readonly project: Project; readonly path: string } | undefined> {
  const found = await db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .selectAll('projects')
    .select('routes.path as address')
    .where('routes.path', 'in', [...paths])
    .where('routes.redirect', '=', 0)
    .limit(1)
    .executeTakeFirst();
  if (!found) return undefined;
  const { address, ...project } = found;
  return { project, path: address };
}
