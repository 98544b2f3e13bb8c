import type { Status } from './statuses.ts';

/** The status of a bridge for a given downstream status; null leaves it unchanged. */
export function bridgeStatus(strategy: 'depend' | 'mirror' | null, downstream: Status): Status | null {
  if (strategy === null) return 'success';
  if (strategy === 'mirror') return mirrored.has(downstream) ? downstream : null;
  return dependent[downstream] ?? null;
}

const mirrored: ReadonlySet<Status> = new Set<Status>(['success', 'failed', 'canceled', 'skipped', 'manual']);

const dependent: Readonly<Partial<Record<Status, Status>>> = {
  success: 'success',
  failed: 'failed',
  skipped: 'failed',
  canceled: 'canceled',
};
