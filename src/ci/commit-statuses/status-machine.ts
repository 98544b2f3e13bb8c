/** States that an external service may report. */
export const reportedStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type ReportedState = (typeof reportedStates)[number];

/** States of a status; `created` is the initial one. */
export type StatusState = ReportedState | 'created';

interface Step {
  readonly event: string;
  readonly from: readonly StatusState[];
  readonly to: ReportedState;
}

const unfinished: readonly StatusState[] = ['created', 'pending', 'running'];
const enqueue: Step = { event: 'enqueue', from: ['created', 'skipped'], to: 'pending' };

/** Transition for each reported state. */
const steps: Readonly<Record<ReportedState, Step>> = {
  pending: enqueue,
  running: { event: 'run', from: ['pending'], to: 'running' },
  success: { event: 'success', from: unfinished, to: 'success' },
  failed: { event: 'drop', from: unfinished, to: 'failed' },
  canceled: { event: 'cancel', from: unfinished, to: 'canceled' },
  skipped: { event: 'skip', from: ['created', 'pending'], to: 'skipped' },
};

/** Returns the state after a report, or the error message. Clients match the beginning of the message. */
export function report(current: StatusState, state: ReportedState): { to: ReportedState } | { problem: string } {
  const step = steps[state];
  // A report of `running` implies that the status was pending before.
  const from = state === 'running' && enqueue.from.includes(current) ? enqueue.to : current;
  if (step.from.includes(from)) return { to: step.to };
  const { event } = step;
  return {
    problem: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
  };
}
