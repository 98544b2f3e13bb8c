import type { Project } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';

/** The project that one of these addresses is: of a path and what lies below it only one can be. */
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
