import { Entry } from '../entry.ts';
import type { JobWhen } from '../plan.ts';
import { isInteger, isMapping } from '../yaml/values.ts';
import { type MatrixRow, maxInstances, readMatrix } from './matrix.ts';

/** When and how often a job runs, and how its failure is treated. */
export interface Execution {
  readonly when: JobWhen;
  /** Seconds. */
  readonly startIn: number | null;
  /** Null when not specified: then it depends on `when` and on whether there are rules. */
  readonly allowFailure: boolean | null;
  readonly allowFailureExitCodes: readonly number[];
  readonly interruptible: boolean;
  readonly timeout: number | null;
  readonly parallel: { readonly count: number } | { readonly matrix: readonly MatrixRow[] } | null;
}

const week = 7 * 86_400;
const month = 30 * 86_400;
const whens = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;

export function readExecution(job: Entry, kind: 'build' | 'bridge'): Execution {
  const allowed = kind === 'build' ? whens : whens.slice(0, 4);
  const when = job.oneOf('when', allowed) ?? 'on_success';
  if (when !== 'delayed' && job.has('start_in') && !job.has('rules')) job.fault('start in must be blank');
  const startIn = when === 'delayed' ? job.duration('start_in', week, '1 week') : null;
  if (when === 'delayed' && !job.has('start_in') && !job.has('rules')) job.fault('start in should be a duration');
  return {
    when,
    startIn,
    ...readAllowFailure(job, kind),
    interruptible: job.boolean('interruptible') ?? false,
    timeout: job.duration('timeout', month, '1 month'),
    parallel: readParallel(job, kind),
  };
}

function readAllowFailure(
  job: Entry,
  kind: 'build' | 'bridge',
): Pick<Execution, 'allowFailure' | 'allowFailureExitCodes'> {
  const value = job.get('allow_failure');
  if (value === undefined) return { allowFailure: null, allowFailureExitCodes: [] };
  if (typeof value === 'boolean') return { allowFailure: value, allowFailureExitCodes: [] };
  // A trigger job has no exit code.
  if (!isMapping(value) || kind === 'bridge') {
    const forms = kind === 'bridge' ? 'a boolean value' : 'a hash or a boolean value';
    job.problems.add(job.below('allow_failure'), `config should be ${forms}`);
    return { allowFailure: null, allowFailureExitCodes: [] };
  }
  const entry = new Entry(value, job.below('allow_failure'), job.problems);
  entry.allow(['exit_codes']);
  return { allowFailure: false, allowFailureExitCodes: entry.integers('exit_codes') ?? [] };
}

function readParallel(job: Entry, kind: 'build' | 'bridge'): Execution['parallel'] {
  const value = job.get('parallel');
  const at = job.below('parallel');
  if (value === undefined) return null;
  if (isMapping(value)) {
    const entry = new Entry(value, at, job.problems);
    entry.allow(['matrix']);
    return { matrix: readMatrix(entry.get('matrix'), entry.below('matrix'), job.problems) };
  }
  if (!isInteger(value)) job.problems.add(at, 'should be an integer or a hash');
  else if (kind === 'bridge') job.problems.add(at, 'cannot use "parallel: <number>".');
  else if (value < 1) job.problems.add(at, 'config must be greater than or equal to 1');
  else if (value > maxInstances) job.problems.add(at, `config must be less than or equal to ${maxInstances}`);
  else return { count: value };
  return null;
}
