import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { managersOf, runnersOf } from './related-store.ts';
import type { JobRunnerEntity } from './schema.ts';

type Runner = Awaited<ReturnType<typeof runnersOf>>[number];
type Manager = Awaited<ReturnType<typeof managersOf>>[number];

const onlineMs = 2 * 60 * 60_000;
const staleMs = 7 * 24 * 60 * 60_000;

function contactStatus({ created_at, contacted_at }: Pick<Runner, 'created_at' | 'contacted_at'>, now: number): string {
  if (now - Math.max(created_at, contacted_at ?? 0) >= staleMs) return 'stale';
  if (contacted_at === null) return 'never_contacted';
  return now - contacted_at < onlineMs ? 'online' : 'offline';
}

/** Presents a runner in a job. */
export function presentRunner(runner: Runner, now = Date.now()): JobRunnerEntity {
  const paused = runner.paused === 1;
  return {
    id: runner.id,
    description: runner.description,
    ip_address: '',
    active: !paused,
    paused,
    is_shared: runner.runner_type === 'instance_type',
    runner_type: runner.runner_type,
    name: runner.name,
    online: runner.contacted_at === null ? null : now - runner.contacted_at < onlineMs,
    created_at: instant(runner.created_at),
    status: paused ? 'paused' : contactStatus(runner, now),
  };
}

/** Presents a runner manager in a job. */
export function presentManager(manager: Manager, now = Date.now()) {
  const { id, system_id, version, revision, platform, architecture, ip_address } = manager;
  return {
    id,
    system_id,
    version,
    revision,
    platform,
    architecture,
    created_at: instant(manager.created_at),
    contacted_at: instantOrNull(manager.contacted_at),
    ip_address,
    status: contactStatus(manager, now),
  };
}
