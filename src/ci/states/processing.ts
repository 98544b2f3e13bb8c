import { compositeStatus, RunningComposite } from './composite.ts';
import { completed, type Status } from './statuses.ts';

/** The latest attempt of a job or bridge, with the attributes that determine the next steps. */
export interface ProcessedJob {
  readonly id: number;
  readonly name: string;
  readonly stageIndex: number;
  readonly status: Status;
  readonly allowFailure: boolean;
  readonly when: 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';
  /** Names of needed jobs; null if the job follows the stage order. */
  readonly needs: readonly string[] | null;
  /** The job itself was retried, so it waits neither for manual action nor for its delay again. */
  readonly atOnce?: boolean;
}

export type ProcessingEvent = 'enqueue' | 'actionize' | 'schedule' | 'skip';

/** An event to apply to a `created` job. */
export interface ProcessingStep {
  readonly id: number;
  readonly event: ProcessingEvent;
}

/** Status of a job after the event, as seen by the jobs that depend on it. */
const after: Readonly<Record<ProcessingEvent, Status>> = {
  enqueue: 'pending',
  actionize: 'manual',
  schedule: 'scheduled',
  skip: 'skipped',
};

/**
 * Returns every step possible in a pipeline now, in the order to apply them. The result includes follow-up steps:
 * skipping a job, for example, can skip the jobs behind it.
 */
export function nextSteps(jobs: readonly ProcessedJob[]): ProcessingStep[] {
  const current = jobs.map((job): { -readonly [Key in keyof ProcessedJob]: ProcessedJob[Key] } => ({ ...job }));
  const byName = new Map(current.map((job) => [job.name, job]));
  const steps: ProcessingStep[] = [];
  const lower = new RunningComposite();
  for (const stage of byStage(current)) {
    const before = lower.status;
    for (const job of inOrderOfNeeds(stage)) {
      const event = job.status === 'created' ? eventFor(job, previousOf(job, byName, before)) : null;
      if (event === null) continue;
      steps.push({ id: job.id, event });
      job.status = after[event];
    }
    for (const job of stage) lower.add(job);
  }
  return steps;
}

/** No preceding jobs count as success. */
function previousOf(job: ProcessedJob, current: ReadonlyMap<string, ProcessedJob>, before: Status | null): Status {
  if (job.needs === null) return before ?? 'success';
  const needed = job.needs.flatMap((name) => current.get(name) ?? []);
  return compositeStatus(needed, true) ?? 'success';
}

/** Returns null if the job has to wait. */
function eventFor(job: ProcessedJob, previous: Status): ProcessingEvent | null {
  if (!completed.has(previous)) return null;
  if (!runsAfter(job, previous)) return 'skip';
  if (job.atOnce) return 'enqueue';
  if (job.when === 'manual') return 'actionize';
  return job.when === 'delayed' ? 'schedule' : 'enqueue';
}

function runsAfter({ when, needs }: ProcessedJob, previous: Status): boolean {
  if (when === 'always') return previous === 'success' || previous === 'failed' || previous === 'skipped';
  if (when === 'on_failure') return previous === 'failed';
  return previous === 'success' || (needs === null && previous === 'skipped');
}

function byStage<T extends ProcessedJob>(jobs: readonly T[]): T[][] {
  const stages = new Map<number, T[]>();
  for (const job of jobs) {
    const known = stages.get(job.stageIndex);
    if (known === undefined) stages.set(job.stageIndex, [job]);
    else known.push(job);
  }
  return [...stages].sort(([left], [right]) => left - right).map(([, stage]) => stage);
}

/**
 * Sorts a stage so that needed jobs precede the jobs that need them. Iterative, because chains can have thousands of
 * jobs.
 */
function inOrderOfNeeds<T extends ProcessedJob>(stage: readonly T[]): T[] {
  const here = new Map(stage.map((job) => [job.name, job]));
  const entered = new Set<T>();
  const left = new Set<T>();
  const stack = [...stage].reverse();
  for (let job = stack.at(-1); job !== undefined; job = stack.at(-1)) {
    const first = !entered.has(job);
    entered.add(job);
    const waiting = first ? (job.needs ?? []).flatMap((name) => here.get(name) ?? []) : [];
    // Each job is entered once: a dependency cycle, which the compiler rejects, must not loop forever.
    const open = waiting.filter((needed) => !entered.has(needed));
    stack.push(...open);
    if (open.length > 0) continue;
    stack.pop();
    left.add(job);
  }
  return [...left];
}
