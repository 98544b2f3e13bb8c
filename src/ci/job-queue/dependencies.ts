import type { PlannedJob } from '../config/public.ts';

/** A job of the same pipeline that may provide artifacts. */
export interface Producer {
  readonly name: string;
  readonly stageIndex: number;
}

/**
 * The jobs whose artifacts a job downloads: by default those of earlier stages, or of its `needs`. `dependencies`
 * further restricts them.
 */
export function producersFor<T extends Producer>(
  planned: Pick<PlannedJob, 'stageIndex' | 'needs' | 'dependencies'>,
  jobs: readonly T[],
): T[] {
  const needed = new Set(planned.needs?.flatMap(({ name, artifacts }) => (artifacts ? name : [])));
  const named = planned.dependencies === null ? undefined : new Set(planned.dependencies);
  return jobs.filter(({ name, stageIndex }) => {
    if (named && !isNamed(named, name)) return false;
    return planned.needs === null ? stageIndex < planned.stageIndex : needed.has(name);
  });
}

/** `dependencies: [build]` matches every instance of a parallel job. */
function isNamed(named: ReadonlySet<string>, name: string): boolean {
  return named.has(name) || named.has(name.replace(/(: \[.*\]| \d+\/\d+)$/s, ''));
}
