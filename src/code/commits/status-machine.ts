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

/** The state of a pipeline, from those of its statuses, each with whether its failure counts; none for no statuses. */
export function pipelineStatus(
  statuses: readonly { readonly status: string; readonly allow_failure: number }[],
): string | undefined {
  const kinds = new Set(statuses.map(kindOf));
  const only = (...words: string[]) => kinds.isSubsetOf(new Set(words));
  const any = (...words: string[]) => words.some((word) => kinds.has(word));
  if (kinds.size === 0) return undefined;
  if (only('skipped', 'ignored')) return 'skipped';
  if (only('success', 'skipped', 'warn', 'ignored')) return 'success';
  if (only('created', 'warn', 'ignored')) return 'created';
  if (only('canceled', 'success', 'skipped', 'warn', 'ignored')) return 'canceled';
  if (only('pending', 'created', 'skipped', 'warn', 'ignored')) return 'pending';
  if (any('running', 'pending', 'created')) return 'running';
  return 'failed';
}

function kindOf({ status, allow_failure }: { readonly status: string; readonly allow_failure: number }): string {
  return allow_failure === 1 && (status === 'failed' || status === 'canceled') ? 'warn' : status;
}
