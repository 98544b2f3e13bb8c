const hour = 3_600_000;
/** Contact within this time is being online. */
export const onlineFor = 2 * hour;
/** No contact for this time makes a runner stale. */
export const staleAfter = 7 * 24 * hour;

export interface Contact {
  readonly created_at: number;
  readonly contacted_at: number | null;
}

export type ContactStatus = 'stale' | 'never_contacted' | 'online' | 'offline';

/** How a runner, or one machine of it, stands by when it was last heard of. */
export function contactStatus({ created_at, contacted_at }: Contact, now: number): ContactStatus {
  if (Math.max(created_at, contacted_at ?? 0) <= now - staleAfter) return 'stale';
  if (contacted_at === null) return 'never_contacted';
  return contacted_at > now - onlineFor ? 'online' : 'offline';
}

/** The same of a runner, which may be told to take no jobs. */
export function runnerStatus(runner: Contact & { readonly paused: number }, now: number): ContactStatus | 'paused' {
  const status = contactStatus(runner, now);
  return runner.paused === 1 && (status === 'online' || status === 'offline') ? 'paused' : status;
}
