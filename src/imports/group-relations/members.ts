import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import { groupSubject } from '../../access/subjects.ts';
import { directMember, insertMember } from '../../namespaces/members/public.ts';
import { fields } from '../project-archives/public.ts';
import { contextOf, importRecords } from './lines.ts';
import { grantedRole } from './roles.ts';
import type { GroupRun } from './run.ts';

/** Imports memberships. Users without an account here are only recorded. */
export async function importMembers(run: GroupRun): Promise<void> {
  const { services, userId } = run;
  const { group, person } = await contextOf(run);
  const subject = await groupSubject(services.db.read, await run.actor(), group);
  await importRecords(run, 'members', async ({ user_id, access_level }) => {
    const number = fields.numberOf(user_id);
    const level = grantedRole(access_level, Role.owner);
    if (number === null || level === undefined) throw new Error('it has no valid role or user');
    const user = await findUser(services.db.read, await person(number));
    return async (trx) => {
      if (user?.kind !== 'human' || (await directMember(trx, subject, user.id))) return;
      const owner = { project_id: null, namespace_id: group.id };
      const row = { user_id: user.id, access_level: level, expires_at: null, created_by_id: userId };
      await insertMember(trx, owner, row);
    };
  });
}
