import type { SharedBranches } from '../../../code/protected-refs/public.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { isShown } from '../changes/branches.ts';
import { mayMerge } from '../detail.ts';
import { sharedWithTargets } from './store.ts';

/**
 * Source branches of a fork that the actor may push to, because the author of a merge request allows collaboration and
 * the actor may merge it.
 */
export const sharedSourceBranches: SharedBranches = async (services, actor, subject) => {
  const { read } = services.db;
  // The project may have become less visible since collaboration was allowed.
  if (!isShown(subject)) return [];
  const requests = await sharedWithTargets(read, subject.project.id);
  if (requests.length === 0) return [];
  const projects = await findProjects(read, [...new Set(requests.map(({ project_id }) => project_id))]);
  const targets = new Map((await subjectsOf(read, actor, projects)).map((target) => [target.project.id, target]));
  const shared: string[] = [];
  for (const { project_id, target_branch, source_branch } of requests) {
    const target = targets.get(project_id);
    if (target && isShown(target) && (await mayMerge(services, actor, target, target_branch)))
      shared.push(source_branch);
  }
  return shared;
};
