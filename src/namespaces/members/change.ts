import type { Actor } from '../../access/actor.ts';
import { readExpiry } from '../../access/expiry.ts';
import { findUser } from '../../access/identify.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Member } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import type { Grant } from './add.ts';
import { getMember } from './list.ts';
import { checkGrant, checkInherited, checkLevel } from './rules.ts';
import type { MemberEntity } from './schema.ts';
import { deleteMember, directMember, hasOtherOwner, holdPlace } from './store.ts';

/** The membership that is to be changed or ended, held so that nobody else changes the last Owner at the same time. */
async function heldMember(trx: Writer, place: ProjectOrGroup, userId: number): Promise<Member> {
  await holdPlace(trx, place);
  const member = await directMember(trx, place, userId);
  if (!member) throw NotFound.record();
  return member;
}

/** Whose personal project this is, if it is one: they stay its Owner. */
function personalOwner(place: ProjectOrGroup): number | null {
  return isProject(place) ? place.namespace.owner_id : null;
}

/** Some stay as they are: the last Owner, whoever's own project it is, and the bots of access tokens. */
async function refuseFixed(db: Reader, place: ProjectOrGroup, member: Member): Promise<void> {
  if (personalOwner(place) === member.user_id) throw new Forbidden();
  if ((await findUser(db, member.user_id))?.kind === 'project_bot') throw new Forbidden();
  if (isProject(place) || member.access_level !== Role.owner) return;
  if (!(await hasOtherOwner(db, place.group.id, member.user_id))) throw new Forbidden();
}

/** Gives a member another role, or another day on which it ends. */
export async function updateMember(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  userId: number,
  { access_level, expires_at }: Grant,
): Promise<MemberEntity> {
  await services.db.write(async (trx) => {
    const member = await heldMember(trx, place, userId);
    checkLevel(place, access_level);
    checkGrant(place, member.access_level);
    checkGrant(place, access_level);
    await refuseFixed(trx, place, member);
    await checkInherited(trx, place, userId, access_level);
    const expiry = expires_at === undefined ? {} : { expires_at: readExpiry(expires_at) };
    await trx
      .updateTable('members')
      .set({ access_level, ...expiry })
      .where('id', '=', member.id)
      .execute();
  });
  return getMember(services, actor, place, userId, 'written');
}

/** Ends a membership. People may leave by themselves; others are sent away by those who may change their role. */
export async function removeMember(
  { db }: Services,
  actor: Actor,
  place: ProjectOrGroup,
  userId: number,
  options: { readonly skip_subresources: boolean },
): Promise<void> {
  await db.write(async (trx) => {
    const member = await heldMember(trx, place, userId);
    if (actor.user?.id !== userId) {
      if (!place.can('admin_member')) throw new Forbidden();
      checkGrant(place, member.access_level);
    }
    await refuseFixed(trx, place, member);
    await deleteMember(trx, place, userId, !options.skip_subresources);
  });
}
