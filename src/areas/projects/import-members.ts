import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import type { Services } from '../../platform/services.ts';

const atOnce = 500;

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
  const now = Date.now();
  const members = await db.read
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'm.access_level', 'm.expires_at'])
    .where('m.project_id', '=', source.project.id)
    .where('u.kind', '!=', 'project_bot')
    .where((eb) => eb.or([eb('m.expires_at', 'is', null), eb('m.expires_at', '>', now)]))
    .execute();
  const rows = members.map((member) => ({
    ...member,
    access_level: Math.min(member.access_level, highest),
    namespace_id: null,
    project_id: subject.project.id,
    created_by_id: actor.user?.id ?? null,
    created_at: now,
  }));
  await db.write(async (trx) => {
    for (let at = 0; at < rows.length; at += atOnce) {
      // Whoever is a member here already keeps the role they have.
      const some = rows.slice(at, at + atOnce);
      await trx
        .insertInto('members')
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
  return { status: 'success' };
}
