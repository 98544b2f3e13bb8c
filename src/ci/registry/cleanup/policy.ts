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
const atOnce = 100;
const cadences: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '14d': 14, '1month': 30, '3month': 90 };

interface Policy {
  readonly every: number;
  readonly filter: TagFilter;
}

/** What the settings of a project say of its tags; undefined where its policy is off, or cannot be carried out. */
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

/** Removes the tags that the policies of projects do not keep, where their time has come. */
export async function cleanUp(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  const { db } = services;
  for (let last = 0; !signal?.aborted; ) {
    const projects = await store.projectsWithPolicies(db.read, last, atOnce);
    for (const { id, settings, ran_at } of projects) {
      if (signal?.aborted) return;
      const policy = policyOf(settingsOf({ settings }));
      if (policy && (ran_at === null || ran_at <= now - policy.every)) {
        await cleanProject(services, id, policy.filter, now, signal);
      }
      last = id;
    }
    if (projects.length < atOnce) return;
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
    await db.write((trx) => store.noteCleanup(trx, id, now));
    await removeTags(services, id, filter, guard, signal);
  }
  await db.write((trx) => store.noteProjectCleanup(trx, projectId, now));
}

const schedule = { minute: 37 };

/** When the tags of projects are cleaned up next, of those whose policy is on; in one question, or none. */
export const cleanupTimes: CleanupTimes = async (db, projects) => {
  const now = Date.now();
  const wanted = projects.flatMap((project) => {
    const policy = policyOf(settingsOf(project));
    return policy ? [{ id: project.id, every: policy.every }] : [];
  });
  if (wanted.length === 0) return new Map();
  const ran = await store.cleanupsOf(
    db,
    wanted.map(({ id }) => id),
  );
  return new Map(
    wanted.map(({ id, every }) => [id, nextRun(schedule, Math.max(now, (ran.get(id) ?? now - every) + every - 1))]),
  );
};

export function policyJobs(services: Services): void {
  services.queue.recurring('clean-up-registry', schedule, ({ signal }) => cleanUp(services, signal));
}
