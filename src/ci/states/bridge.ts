import type { Status } from './statuses.ts';

/** What becomes of a bridge when its downstream pipeline is in this state; null: it stays as it is. */
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
