/** Statuses of jobs and bridges. Stages and pipelines use the same ones. */
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

/** Finished with a known outcome. */
export const completed = group('success', 'failed', 'canceled', 'skipped');
/** No progress until a user acts or a delay expires. */
export const stopped = group('success', 'failed', 'canceled', 'skipped', 'manual', 'scheduled');
/** Waiting for manual action or a delay. */
export const blocked = group('manual', 'scheduled');
/** Running on a runner, so the job token is valid. */
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
/** Matches `scope=finished` of pipelines. */
export const finished = group('success', 'failed', 'canceled');

export function isStatus(text: string): text is Status {
  return (statuses as readonly string[]).includes(text);
}
