import type { Services } from '../../access/services.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { RunnerEntity, RunnerManagerEntity } from './schema.ts';
import { contactStatus, onlineTimeoutMs, runnerStatus } from './status.ts';
import { busyRunners } from './store.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

function presentRunner(
  row: RunnerRow,
  creators: ReadonlyMap<number, BasicUserEntity>,
  busyIds: ReadonlySet<number>,
  now: number,
): RunnerEntity {
  return {
    id: row.id,
    description: row.description,
    ip_address: '',
    active: row.paused === 0,
    paused: row.paused === 1,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type,
    name: row.name,
    online: row.contacted_at === null ? null : row.contacted_at > now - onlineTimeoutMs,
    created_by: (row.creator_id !== null && creators.get(row.creator_id)) || null,
    created_at: instant(row.created_at),
    status: runnerStatus(row, now),
    job_execution_status: busyIds.has(row.id) ? 'active' : 'idle',
  };
}

/** Presents a page of runners. */
export async function presentRunners(
  { db, externalUrl }: Services,
  rows: readonly RunnerRow[],
): Promise<RunnerEntity[]> {
  const now = Date.now();
  const [creators, busyIds] = await Promise.all([
    basicUsers(
      db.read,
      rows.map(({ creator_id }) => creator_id),
      externalUrl,
    ),
    busyRunners(
      db.read,
      rows.map(({ id }) => id),
    ),
  ]);
  return rows.map((row) => presentRunner(row, creators, busyIds.runners, now));
}

/** Presents the managers of one runner. */
export function presentManagers(
  rows: readonly RunnerManagerRow[],
  busyIds: ReadonlySet<number>,
): RunnerManagerEntity[] {
  const now = Date.now();
  return rows.map((row) => ({
    id: row.id,
    system_id: row.system_id,
    version: row.version,
    revision: row.revision,
    platform: row.platform,
    architecture: row.architecture,
    created_at: instant(row.created_at),
    contacted_at: instantOrNull(row.contacted_at),
    ip_address: row.ip_address,
    status: contactStatus(row, now),
    job_execution_status: busyIds.has(row.id) ? 'active' : 'idle',
  }));
}
