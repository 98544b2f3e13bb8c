import type { JobNames } from './instances.ts';
import type { Instance } from './matrix.ts';
import type { NeedEntry } from './needs.ts';
import type { PlannedJob, PlannedNeed } from './plan.ts';

/** The lines of `needs` apart by what they point to, parallel jobs as all of their instances. */
export function plannedNeeds(
  needs: readonly NeedEntry[] | null,
  names: JobNames,
  instance: Instance,
): Pick<PlannedJob, 'needs' | 'pipelineNeeds' | 'projectNeeds'> {
  if (needs === null) return { needs: null, pipelineNeeds: [], projectNeeds: [] };
  const jobs = new Map<string, PlannedNeed>();
  for (const need of needs) {
    if (need.type !== 'job') continue;
    for (const name of names.ofNeed(need, instance)) {
      jobs.set(name, { name, artifacts: need.artifacts, optional: need.optional });
    }
  }
  const pipelineNeeds = needs.flatMap((need) => (need.type === 'pipeline' ? [without(need)] : []));
  const projectNeeds = needs.flatMap((need) => (need.type === 'project' ? [without(need)] : []));
  // With `needs` a job leaves the order of stages, even where all it needs is from elsewhere.
  return { needs: [...jobs.values()], pipelineNeeds, projectNeeds };
}

function without<T extends { readonly type: string }>(need: T): Omit<T, 'type'> {
  const { type: _type, ...rest } = need;
  return rest;
}
