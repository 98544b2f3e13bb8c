import { compositeStatus, RunningComposite } from './composite.ts';
import { completed, type Status } from './statuses.ts';

/** The newest attempt of a job (or bridge), as far as it matters for what comes next. */
export interface ProcessedJob {
  readonly id: number;
  readonly name: string;
  readonly stageIndex: number;
  readonly status: Status;
  readonly allowFailure: boolean;
  readonly when: 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';
  /** Names; null: the job follows the order of stages. */
  readonly needs: readonly string[] | null;
  /** Made by a retry, or played: it does not wait for a hand or for the clock once more. */
  readonly again?: boolean;
}

export type ProcessingEvent = 'enqueue' | 'actionize' | 'schedule' | 'skip';

/** What is to be done with a job that was `created`. */
export interface ProcessingStep {
  readonly id: number;
  readonly event: ProcessingEvent;
}

/** What a job is once the event is done, as far as those behind it are concerned. */
const after: Readonly<Record<ProcessingEvent, Status>> = {
  enqueue: 'pending',
  actionize: 'manual',
  schedule: 'scheduled',
  skip: 'skipped',
};

/**
 * Everything that may happen in a pipeline now, in the order in which it has to be done. What one step makes possible is
 * among the later ones: a job that is skipped takes those behind it along.
 */
export function nextSteps(jobs: readonly ProcessedJob[]): ProcessingStep[] {
  const now = jobs.map((job): { -readonly [Key in keyof ProcessedJob]: ProcessedJob[Key] } => ({ ...job }));
  const byName = new Map(now.map((job) => [job.name, job]));
  const steps: ProcessingStep[] = [];
  const lower = new RunningComposite();
  for (const stage of byStage(now)) {
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

/** Nothing before a job is as good as success. */
function previousOf(job: ProcessedJob, now: ReadonlyMap<string, ProcessedJob>, before: Status | null): Status {
  if (job.needs === null) return before ?? 'success';
  const needed = job.needs.flatMap((name) => now.get(name) ?? []);
  return compositeStatus(needed, true) ?? 'success';
}

/** Null: the job has to wait. */
function eventFor(job: ProcessedJob, previous: Status): ProcessingEvent | null {
  if (!completed.has(previous)) return null;
  if (!runsAfter(job, previous)) return 'skip';
  if (job.again) return 'enqueue';
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

/** Within a stage a job may need another: the needed one comes first. Chains may be thousands long, so nothing recurses. */
function inOrderOfNeeds<T extends ProcessedJob>(stage: readonly T[]): T[] {
  const here = new Map(stage.map((job) => [job.name, job]));
  const entered = new Set<T>();
  const left = new Set<T>();
  const stack = [...stage].reverse();
  for (let job = stack.at(-1); job !== undefined; job = stack.at(-1)) {
    const first = !entered.has(job);
    entered.add(job);
    const waiting = first ? (job.needs ?? []).flatMap((name) => here.get(name) ?? []) : [];
    // What has been entered is not entered again: a circle, which the compiler refuses, must not hang the server.
    const open = waiting.filter((needed) => !entered.has(needed));
    stack.push(...open);
    if (open.length > 0) continue;
    stack.pop();
    left.add(job);
  }
  return [...left];
}
