/** A job with its position in the pipeline. */
interface JobNode {
  readonly name: string;
  readonly stageIndex: number;
  /** Null when the job follows the stage order. */
  readonly needs: readonly string[] | null;
}

/** The transitive dependents of these jobs, by stage order or `needs`. */
export function dependentJobs<T extends JobNode>(jobs: readonly T[], first: readonly JobNode[]): T[] {
  const dependents = new Set<T>();
  const names = new Set(first.map(({ name }) => name));
  let stage = Math.min(...first.map(({ stageIndex }) => stageIndex));
  for (let changed = true; changed; ) {
    changed = false;
    for (const job of jobs) {
      if (dependents.has(job)) continue;
      const depends = job.needs === null ? job.stageIndex > stage : job.needs.some((name) => names.has(name));
      if (!depends) continue;
      dependents.add(job);
      names.add(job.name);
      stage = Math.min(stage, job.stageIndex);
      changed = true;
    }
  }
  return [...dependents];
}
