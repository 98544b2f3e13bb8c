import type { Services } from '../../../access/services.ts';
import { locksInProjects } from '../../../code/lfs/public.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Maximum number of file locks considered. */
const maxLocks = 1000;

/** Filters open merge requests to those that change a file locked by a user other than the author. */
export async function withLockedFiles(
  services: Services,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlySet<number>> {
  const open = rows.filter(
    ({ state, head_sha, base_sha }) => state === 'opened' && head_sha !== null && base_sha !== null,
  );
  const locks = await locksInProjects(
    services.db.read,
    open.map(({ project_id }) => project_id),
    maxLocks,
  );
  const found = new Set<number>();
  if (locks.length === 0) return found;
  for (const row of open) {
    const paths = locks.flatMap(({ project_id, user_id, path }) =>
      project_id === row.project_id && user_id !== row.author_id ? [path] : [],
    );
    if (paths.length > 0 && (await changesAny(services, row, paths))) found.add(row.id);
  }
  return found;
}

/** Compares only the locked paths in the two commits, which avoids a diff of whole trees. */
async function changesAny(
  { git }: Services,
  { project_id, base_sha, head_sha }: MergeRequestRow,
  paths: readonly string[],
): Promise<boolean> {
  const objects = git.objects(git.repository(project_id));
  const [base, head] = await Promise.all([objects.commit(base_sha ?? ''), objects.commit(head_sha ?? '')]);
  if (!base || !head) return false;
  for (const path of paths) {
    const [was, is] = await Promise.all([objects.entryAt(base.tree, path), objects.entryAt(head.tree, path)]);
    if (was?.oid !== is?.oid || was?.mode !== is?.mode) return true;
  }
  return false;
}
