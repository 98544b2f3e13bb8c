/** A job, as far as it matters for what waits for it. */
interface Waiting {
  readonly name: string;
  readonly stageIndex: number;
  /** Null: the job follows the order of stages. */
  readonly needs: readonly string[] | null;
}

/** The jobs that come after these ones: in a later stage, or by what they need, however far. */
export function dependentJobs<T extends Waiting>(jobs: readonly T[], first: readonly Waiting[]): T[] {
  const behind = new Set<T>();
  const names = new Set(first.map(({ name }) => name));
  let stage = Math.min(...first.map(({ stageIndex }) => stageIndex));
  for (let grown = true; grown; ) {
    grown = false;
    for (const job of jobs) {
      if (behind.has(job)) continue;
      const after = job.needs === null ? job.stageIndex > stage : job.needs.some((name) => names.has(name));
      if (!after) continue;
      behind.add(job);
      names.add(job.name);
      stage = Math.min(stage, job.stageIndex);
      grown = true;
    }
  }
  return [...behind];
}
