import { cancelable, type Status } from './statuses.ts';

export type JobEvent =
  | 'enqueue'
  | 'enqueue_scheduled'
  | 'enqueue_waiting_for_resource'
  | 'enqueue_preparing'
  | 'actionize'
  | 'schedule'
  | 'unschedule'
  | 'process'
  | 'run'
  | 'skip'
  | 'success'
  | 'drop'
  | 'cancel'
  | 'force_cancel';

/** Conditions that the outcome of some events depends on. */
export interface TransitionFacts {
  /** The job has a resource group and must acquire it first. */
  readonly resourceGroup?: boolean;
  /** Prerequisites must be completed before a runner can take the job. */
  readonly prerequisites?: boolean;
  /** The runner can be asked to cancel, and still runs `after_script`. */
  readonly graceful?: boolean;
  /** Whether the scheduled time of the job has come. */
  readonly due?: boolean;
}

const beforeEnd: readonly Status[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
];

const from: Readonly<Record<JobEvent, ReadonlySet<Status>>> = {
  enqueue: new Set<Status>(['created', 'skipped', 'manual', 'scheduled']),
  enqueue_scheduled: new Set<Status>(['scheduled']),
  enqueue_waiting_for_resource: new Set<Status>(['waiting_for_resource']),
  enqueue_preparing: new Set<Status>(['preparing']),
  actionize: new Set<Status>(['created']),
  schedule: new Set<Status>(['created']),
  unschedule: new Set<Status>(['scheduled']),
  process: new Set<Status>(['skipped', 'manual']),
  run: new Set<Status>(['pending']),
  skip: new Set<Status>(['created', 'waiting_for_resource', 'preparing', 'pending']),
  success: new Set<Status>([...beforeEnd, 'canceling']),
  drop: new Set<Status>([...beforeEnd, 'manual', 'scheduled', 'canceling']),
  cancel: cancelable,
  force_cancel: new Set<Status>(['canceling']),
};

/** Returns the status of a job after an event, or null if the event does not apply. */
export function transition(status: Status, event: JobEvent, facts: TransitionFacts = {}): Status | null {
  if (!from[event].has(status)) return null;
  if (event === 'enqueue_scheduled' && facts.due !== true) return null;
  return target(status, event, facts);
}

/** Statuses an event applies to, for use in the `where` clause of an update. */
export function sourcesOf(event: JobEvent): readonly Status[] {
  return [...from[event]];
}

function target(status: Status, event: JobEvent, facts: TransitionFacts): Status {
  const prepared = facts.prerequisites ? 'preparing' : 'pending';
  switch (event) {
    case 'enqueue':
    case 'enqueue_scheduled':
      return facts.resourceGroup ? 'waiting_for_resource' : prepared;
    case 'enqueue_waiting_for_resource':
      return prepared;
    case 'enqueue_preparing':
      return 'pending';
    case 'actionize':
    case 'unschedule':
      return 'manual';
    case 'schedule':
      return 'scheduled';
    case 'process':
      return 'created';
    case 'run':
      return 'running';
    case 'skip':
      return 'skipped';
    // A job that is being canceled ends as canceled, whatever the runner reports.
    case 'success':
      return status === 'canceling' ? 'canceled' : 'success';
    case 'drop':
      return status === 'canceling' ? 'canceled' : 'failed';
    case 'cancel':
      return status === 'running' && facts.graceful ? 'canceling' : 'canceled';
    case 'force_cancel':
      return 'canceled';
  }
}

/** Status of a pipeline after a job is enqueued. */
export function enqueuedPipeline(status: Status): Status {
  if (status === 'running' || status === 'waiting_for_callback') return status;
  return ['success', 'failed', 'canceled', 'canceling'].includes(status) ? 'running' : 'pending';
}
