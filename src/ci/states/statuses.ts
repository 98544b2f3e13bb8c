/** The states of jobs and bridges; those of stages and pipelines are the same words. */
export const statuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;

export type Status = (typeof statuses)[number];

function group(...members: Status[]): ReadonlySet<Status> {
  return new Set(members);
}

/** Nothing more happens by itself, and its outcome is known. */
export const completed = group('success', 'failed', 'canceled', 'skipped');
/** Nothing more happens until somebody, or the clock, does something. */
export const stopped = group('success', 'failed', 'canceled', 'skipped', 'manual', 'scheduled');
/** Waits for a hand or for the clock. */
export const blocked = group('manual', 'scheduled');
/** A runner is at it, and its token is good. */
export const executing = group('running', 'canceling');
export const active = group('waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running');
export const cancelable = group(
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'scheduled',
  'manual',
);
/** `scope=finished` of pipelines. */
export const finished = group('success', 'failed', 'canceled');

export function isStatus(text: string): text is Status {
  return (statuses as readonly string[]).includes(text);
}
