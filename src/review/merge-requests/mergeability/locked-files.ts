import type { Services } from '../../../access/services.ts';
import { locksInProjects } from '../../../code/lfs/public.ts';
import type { MergeRequestRow } from '../tables.ts';

/** So many locks are looked at; more are no sign of work that waits for others. */
const maxLocks = 1000;

/** Of open merge requests, those that change a file which somebody other than their author has locked. */
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

/** Asks for each path what the two commits have there: no comparison of whole trees is needed for that. */
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
