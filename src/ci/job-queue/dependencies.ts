import type { PlannedJob } from '../config/public.ts';

/** A job of the same pipeline, as far as another may want what it left. */
export interface Producer {
  readonly name: string;
  readonly stageIndex: number;
}

/**
 * The jobs whose artifacts a job fetches before it starts: those of earlier stages, or those it needs, or those it names;
 * where it names some, it fetches of what it needs only these.
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

/** `dependencies: [build]` means every instance of a parallel job. */
function isNamed(named: ReadonlySet<string>, name: string): boolean {
  return named.has(name) || named.has(name.replace(/(: \[.*\]| \d+\/\d+)$/s, ''));
}
