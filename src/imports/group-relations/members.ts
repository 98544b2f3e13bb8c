import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import { groupSubject } from '../../access/subjects.ts';
import { directMember, insertMember } from '../../namespaces/members/public.ts';
import { fields } from '../project-archives/public.ts';
import { contextOf, everyLine } from './lines.ts';
import { grantedRole } from './roles.ts';
import type { GroupRun } from './run.ts';

/** Those who have a role there; whoever has no account here yet is only remembered. */
export async function importMembers(run: GroupRun): Promise<void> {
  const { services, userId } = run;
  const { group, person } = await contextOf(run);
  const subject = await groupSubject(services.db.read, await run.actor(), group);
  await everyLine(run, 'members', async ({ user_id, access_level }) => {
    const number = fields.numberOf(user_id);
    const level = grantedRole(access_level, Role.owner);
    if (number === null || level === undefined) throw new Error('it has no role, or nobody who has it');
    const user = await findUser(services.db.read, await person(number));
    return async (trx) => {
      if (user?.kind !== 'human' || (await directMember(trx, subject, user.id))) return;
      const owner = { project_id: null, namespace_id: group.id };
      const row = { user_id: user.id, access_level: level, expires_at: null, created_by_id: userId };
      await insertMember(trx, owner, row);
    };
  });
}
