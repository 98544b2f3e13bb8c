import { type Actor, isAdmin } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, User } from '../../access/tables.ts';
import { settingsOfGroup } from '../../namespaces/groups/public.ts';
import { banFromGroup, isBanned } from '../../namespaces/members/public.ts';
import { setState } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import * as store from './store.ts';

/** A limit on the number of distinct projects a user may download within a period. */
interface Limit {
  /** The top-level group; null for the instance limit. */
  readonly group: Namespace | null;
  readonly projects: number;
  readonly seconds: number;
  /** User names exempt from the limit. */
  readonly allowed: readonly string[];
  readonly alert: readonly number[];
  readonly bans: boolean;
}

/** Repeated downloads of a project within this time are not recorded again. */
const fresh = 60_000;
const maxPeriod = 864_000_000;

/**
 * Records a download of code and returns whether it is allowed. It is not if the user is banned from the group, or gets
 * banned for this download. Downloads by jobs and deploy credentials are not counted.
 */
export async function admitDownload(services: Services, actor: Actor, subject: ProjectSubject): Promise<boolean> {
  const { user } = actor;
  if (user?.kind !== 'human' || actor.deploy || actor.job || isAdmin(actor)) return true;
  const { namespace } = subject;
  if (namespace.kind === 'group' && (await isBanned(services.db.read, namespace.id, user.id))) return false;
  for (const limit of await limitsFor(services, subject)) {
    if (limit.allowed.some((name) => name.toLowerCase() === user.username.toLowerCase())) continue;
    const download = { scope: limit.group?.id ?? 0, user_id: user.id, project_id: subject.project.id };
    const now = Date.now();
    if ((await store.lastDownload(services.db.read, download)) > now - Math.min(fresh, limit.seconds * 1000)) continue;
    const banned = await services.db.write((trx) =>
      recordDownload(services, trx, limit, user, download.project_id, now),
    );
    if (banned) return false;
  }
  return true;
}

async function limitsFor({ db, settings }: Services, subject: ProjectSubject): Promise<Limit[]> {
  const limits: Limit[] = [];
  const instance = await settings.read();
  const { max_number_of_repository_downloads: projects } = instance;
  const { max_number_of_repository_downloads_within_time_period: seconds } = instance;
  if (projects > 0 && seconds > 0) {
    const alert = instance.git_rate_limit_users_alertlist;
    const allowed = instance.git_rate_limit_users_allowlist;
    const bans = instance.auto_ban_user_on_excessive_projects_download;
    limits.push({ group: null, projects, seconds, allowed, alert, bans });
  }
  if (subject.namespace.kind !== 'group') return limits;
  const root = (await settingsWithAncestors(db.read, subject.namespace.id)).at(-1);
  // Most groups set no limit, so their rows need not be read.
  if (!root?.settings.unique_project_download_limit) return limits;
  const group = await findNamespace(db.read, root.id);
  if (!group) return limits;
  const own = settingsOfGroup(group);
  if (own.unique_project_download_limit_interval_in_seconds === 0) return limits;
  limits.push({
    group,
    projects: own.unique_project_download_limit,
    seconds: own.unique_project_download_limit_interval_in_seconds,
    allowed: own.unique_project_download_limit_allowlist,
    alert: own.unique_project_download_limit_alertlist,
    bans: own.auto_ban_user_on_excessive_projects_download,
  });
  return limits;
}

/** Records a download. Returns whether the user was banned for it. */
async function recordDownload(
  services: Services,
  trx: Writer,
  { group, projects, seconds, alert, bans }: Limit,
  user: User,
  projectId: number,
  now: number,
): Promise<boolean> {
  const scope = group?.id ?? 0;
  // Serialize concurrent downloads, so that each sees the earlier ones.
  await acquireLock(trx, `downloads ${scope} ${user.id}`);
  const since = now - seconds * 1000;
  const before = await store.countDownloads(trx, scope, user.id, since, projects + 1);
  await store.putDownload(trx, { scope, user_id: user.id, project_id: projectId }, now);
  const after = await store.countDownloads(trx, scope, user.id, since, projects + 1);
  if (after <= projects) return false;
  const banned = bans && (await ban(services, trx, group, user));
  if (before <= projects || banned) {
    await services.announce(trx, 'download-limit.exceeded', { user, group, limit: projects, seconds, banned, alert });
  }
  return banned;
}

async function ban(services: Services, trx: Writer, group: Namespace | null, user: User): Promise<boolean> {
  if (group) return banFromGroup(services, trx, group, user, null);
  const present = await findUser(trx, user.id);
  if (present?.state !== 'active') return false;
  await setState(services, trx, present, 'banned');
  return true;
}

/** Deletes records older than the longest period. */
export async function deleteExpiredDownloads({ db }: Services): Promise<void> {
  await db.write((trx) => store.forgetDownloads(trx, Date.now() - maxPeriod));
}
