import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { openTo } from '../members/public.ts';

/** Makes the members of another project members here, with their roles, though never above the one who asks. */
export async function importMembers(
  { db }: Services,
  actor: Actor,
  subject: ProjectSubject,
  sourceId: number,
): Promise<{ status: string }> {
  const source = await readableProject(db, actor, sourceId);
  if (!source.can('admin_member')) throw new Forbidden('Project');
  const highest = subject.standing.admin ? Role.owner : subject.levels.highest;
  const [from, to] = [source.project.id, subject.project.id];
  await db.write(async (trx) => {
    const now = Date.now();
    // A membership that has run out makes way, as for whoever is added by name.
    await trx.deleteFrom('members').where('project_id', '=', to).where('expires_at', '<=', now).execute();
    const domains = await openTo(trx, subject);
    await copyMembers(trx, { from, to, highest, by: actor.user?.id ?? null, now, domains });
    const members = trx.selectFrom('members').select('user_id').where('project_id', '=', to);
    await trx.deleteFrom('access_requests').where('project_id', '=', to).where('user_id', 'in', members).execute();
  });
  return { status: 'success' };
}

interface Copy {
  readonly from: number;
  readonly to: number;
  readonly highest: number;
  readonly by: number | null;
  readonly now: number;
  readonly domains: readonly string[] | undefined;
}

/** Whoever is a member there already keeps the role they have; bots belong where their tokens do. */
async function copyMembers(trx: Writer, { from, to, highest, by, now, domains }: Copy): Promise<void> {
  const level = sql`case when m.access_level > ${sql.lit(highest)} then ${sql.lit(highest)} else m.access_level end`;
  const inForce = sql<SqlBool>`(m.expires_at is null or m.expires_at > ${now})`;
  const ofDomain = (domain: string) =>
    sql<SqlBool>`lower(u.email) like ${`%@${domain.replace(/[\\%_]/g, '\\$&')}`} escape '\\'`;
  const welcome =
    domains === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(domains.map(ofDomain), sql` or `)})`;
  // Numbers written out: PostgreSQL takes a parameter in the list of a select for a text.
  await sql`
    insert into members (user_id, project_id, access_level, expires_at, created_by_id, created_at)
    select m.user_id, ${sql.lit(to)}, ${level}, m.expires_at, ${sql.lit(by)}, ${sql.lit(now)}
    from members m join users u on u.id = m.user_id
    where m.project_id = ${from} and u.kind <> 'project_bot' and ${inForce} and ${welcome}
    on conflict do nothing`.execute(trx);
}
