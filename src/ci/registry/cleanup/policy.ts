import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import type { CleanupTimes } from '../../../namespaces/projects/public.ts';
import { nextRun } from '../../../platform/queue/schedule.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import { durationSeconds } from '../../config/public.ts';
import { guardOfServer } from '../protection/guard.ts';
import * as store from './store.ts';
import { removeTags, type TagFilter } from './tags.ts';

const day = 24 * 60 * 60 * 1000;
const batchSize = 100;
const cadences: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '14d': 14, '1month': 30, '3month': 90 };

interface Policy {
  readonly every: number;
  readonly filter: TagFilter;
}

/** Reads the cleanup policy from the settings of a project; undefined if it is disabled or invalid. */
export function policyOf(settings: Readonly<Record<string, unknown>>): Policy | undefined {
  const set = settings.container_expiration_policy_attributes as Readonly<Record<string, unknown>> | undefined;
  if (set?.enabled !== true) return undefined;
  const { cadence = '1d', keep_n = 10, older_than = '90d', name_regex = '.*', name_regex_keep } = set;
  const every = cadences[String(cadence)];
  const age = typeof older_than === 'string' && older_than !== '' ? durationSeconds(older_than) : undefined;
  const keep = typeof name_regex_keep === 'string' && name_regex_keep !== '' ? name_regex_keep : undefined;
  if (every === undefined || age === null || typeof name_regex !== 'string' || name_regex === '') return undefined;
  if ([name_regex, ...(keep === undefined ? [] : [keep])].some((one) => userRegexProblem(one) !== undefined))
    return undefined;
  const filter = {
    remove: name_regex,
    ...(keep === undefined ? {} : { keep }),
    ...(typeof keep_n === 'number' ? { keepN: keep_n } : {}),
    ...(age === undefined ? {} : { olderThan: age }),
  };
  return { every: every * day, filter };
}

/** Runs the cleanup policies of all projects that are due. */
export async function cleanUp(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const { db } = services;
  for (let last = 0; !signal?.aborted; ) {
    const projects = await store.projectsWithPolicies(db.read, last, batchSize);
    for (const { id, settings, ran_at } of projects) {
      if (signal?.aborted) return;
      const policy = policyOf(settingsOf({ settings }));
      if (policy && (ran_at === null || ran_at <= now - policy.every)) {
        await cleanProject(services, id, policy.filter, now, signal);
      }
      last = id;
    }
    if (projects.length < batchSize) return;
  }
}

async function cleanProject(
  services: Services,
  projectId: number,
  filter: TagFilter,
  now: number,
  signal?: AbortSignal,
) {
  const { db } = services;
  const guard = await guardOfServer(services, projectId);
  for (const id of await store.repositoriesOf(db.read, projectId)) {
    if (signal?.aborted) return;
    await db.write((trx) => store.recordCleanup(trx, id, now));
    await removeTags(services, id, filter, guard, signal);
  }
  await db.write((trx) => store.recordProjectCleanup(trx, projectId, now));
}

const schedule = { minute: 37 };

/** Next cleanup time of each project with an enabled policy, with at most one query. */
export const cleanupTimes: CleanupTimes = async (db, projects) => {
  const now = Date.now();
  const enabled = projects.flatMap((project) => {
    const policy = policyOf(settingsOf(project));
    return policy ? [{ id: project.id, every: policy.every }] : [];
  });
  if (enabled.length === 0) return new Map();
  const ran = await store.cleanupsOf(
    db,
    enabled.map(({ id }) => id),
  );
  return new Map(
    enabled.map(({ id, every }) => [id, nextRun(schedule, Math.max(now, (ran.get(id) ?? now - every) + every - 1))]),
  );
};

export function policyJobs(services: Services): void {
  services.queue.recurring('clean-up-registry', schedule, ({ signal }) => cleanUp(services, signal));
}
