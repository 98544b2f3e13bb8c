import { protectedNames } from '../../code/protected-refs/public.ts';
import { findProjects } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { matchesWildcard } from '../../platform/wildcard.ts';
import { isShown } from './changes/branches.ts';
import type { MergeRequestRow } from './tables.ts';

/**
 * Which of these merge requests allow collaboration now. It ends while the fork or its target is private, or the source
 * branch protected, and returns afterwards.
 */
export async function collaborativeAmong(db: Reader, rows: readonly MergeRequestRow[]): Promise<ReadonlySet<number>> {
  const allowed = rows.filter((row) => row.allow_collaboration === 1);
  if (allowed.length === 0) return new Set();
  const ids = allowed.flatMap(({ project_id, source_project_id }) => [project_id, source_project_id ?? project_id]);
  const shown = (await findProjects(db, [...new Set(ids)])).filter(isShown);
  const rules = await protectedNames(db, shown);
  const isOpen = (id: number | null) => id !== null && rules.has(id);
  return new Set(
    allowed
      .filter(({ project_id, source_project_id: source, source_branch }) => {
        const names = rules.get(source ?? 0) ?? [];
        return isOpen(project_id) && isOpen(source) && !names.some(({ name }) => matchesWildcard(name, source_branch));
      })
      .map(({ id }) => id),
  );
}
