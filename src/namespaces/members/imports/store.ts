import { type SqlBool, sql } from 'kysely';
import { Role } from '../../../access/roles.ts';
import type { Writer } from '../../../platform/database/database.ts';

/** Source, target and limits of a membership copy. */
export interface Copy {
  readonly from: number;
  readonly to: number;
  readonly highest: number;
  /** What Planners become. */
  readonly planner: number;
  readonly by: number | null;
  readonly now: number;
  readonly domains: readonly string[] | undefined;
}

/**
 * Copies memberships from one project to another. Existing members keep their role. Bots, and service accounts of a
 * project or group, are not copied.
 */
export async function copyMembers(trx: Writer, copy: Copy): Promise<void> {
  const { from, to, highest, planner, by, now, domains } = copy;
  const level = sql`case when m.access_level > ${sql.lit(highest)} then ${sql.lit(highest)}
    when m.access_level = ${sql.lit(Role.planner)} then ${sql.lit(planner)} else m.access_level end`;
  const belongsElsewhere = sql<SqlBool>`(u.kind = 'project_bot' or u.kind = 'service_account'
    and (u.bot_project_id is not null or u.provisioned_by_group_id is not null))`;
  const inForce = sql<SqlBool>`(m.expires_at is null or m.expires_at > ${now})`;
  const ofDomain = (domain: string) =>
    sql<SqlBool>`lower(u.email) like ${`%@${domain.replace(/[\\%_]/g, '\\$&')}`} escape '\\'`;
  const welcome =
    domains === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(domains.map(ofDomain), sql` or `)})`;
  // Inlined literals: PostgreSQL treats parameters in a select list as text.
  await sql`
    insert into members (user_id, project_id, access_level, expires_at, created_by_id, created_at)
    select m.user_id, ${sql.lit(to)}, ${level}, m.expires_at, ${sql.lit(by)}, ${sql.lit(now)}
    from members m join users u on u.id = m.user_id
    where m.project_id = ${from} and not ${belongsElsewhere} and ${inForce} and ${welcome}
    on conflict do nothing`.execute(trx);
}

/** Deletes the expired memberships of a project. */
export async function deleteExpiredMembers(trx: Writer, projectId: number, now: number): Promise<void> {
  await trx.deleteFrom('members').where('project_id', '=', projectId).where('expires_at', '<=', now).execute();
}

/** Deletes the access requests of users who are now members. */
export async function deleteAnsweredRequests(trx: Writer, projectId: number): Promise<void> {
  const members = trx.selectFrom('members').select('user_id').where('project_id', '=', projectId);
  await trx.deleteFrom('access_requests').where('project_id', '=', projectId).where('user_id', 'in', members).execute();
}
