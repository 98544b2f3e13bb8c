const hour = 3_600_000;
/** Runners that made contact within this time are online. */
export const onlineTimeoutMs = 2 * hour;
/** Runners without contact for this time are stale. */
export const staleTimeoutMs = 7 * 24 * hour;

export interface Contact {
  readonly created_at: number;
  readonly contacted_at: number | null;
}

export type ContactStatus = 'stale' | 'never_contacted' | 'online' | 'offline';

/** Status of a runner or runner manager according to its last contact. */
export function contactStatus({ created_at, contacted_at }: Contact, now: number): ContactStatus {
  if (Math.max(created_at, contacted_at ?? 0) <= now - staleTimeoutMs) return 'stale';
  if (contacted_at === null) return 'never_contacted';
  return contacted_at > now - onlineTimeoutMs ? 'online' : 'offline';
}

/** Status of a runner, which can be paused. */
export function runnerStatus(runner: Contact & { readonly paused: number }, now: number): ContactStatus | 'paused' {
  const status = contactStatus(runner, now);
  return runner.paused === 1 && (status === 'online' || status === 'offline') ? 'paused' : status;
}
