/** The states that an outside service may report. */
export const reportedStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type ReportedState = (typeof reportedStates)[number];

/** What a status is before anything was reported. */
export type StatusState = ReportedState | 'created';

interface Step {
  readonly event: string;
  readonly from: readonly StatusState[];
  readonly to: ReportedState;
}

const unfinished: readonly StatusState[] = ['created', 'pending', 'running'];
const enqueue: Step = { event: 'enqueue', from: ['created', 'skipped'], to: 'pending' };

/** What a report does, by the state it names. */
const steps: Readonly<Record<ReportedState, Step>> = {
  pending: enqueue,
  running: { event: 'run', from: ['pending'], to: 'running' },
  success: { event: 'success', from: unfinished, to: 'success' },
  failed: { event: 'drop', from: unfinished, to: 'failed' },
  canceled: { event: 'cancel', from: unfinished, to: 'canceled' },
  skipped: { event: 'skip', from: ['created', 'pending'], to: 'skipped' },
};

/** The state after a report, or the text that refuses it: clients compare how it begins. */
export function report(now: StatusState, state: ReportedState): { to: ReportedState } | { problem: string } {
  const step = steps[state];
  // What runs has been waiting, if only for an instant.
  const from = state === 'running' && enqueue.from.includes(now) ? enqueue.to : now;
  if (step.from.includes(from)) return { to: step.to };
  const { event } = step;
  return {
    problem: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
  };
}
