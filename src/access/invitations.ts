import type { Writer } from '../platform/database/database.ts';

/** Turns the invitations that wait for an e-mail address into memberships of the user who has proven to own it. */
export async function acceptInvitations(trx: Writer, userId: number, email: string): Promise<void> {
  const invitations = await trx
    .selectFrom('member_invitations')
    .selectAll()
    .where('email', '=', email.toLowerCase())
    .execute();
  if (invitations.length === 0) return;
  const now = Date.now();
  for (const { namespace_id, project_id, access_level, expires_at, created_by_id } of invitations) {
    if (expires_at !== null && expires_at <= now) continue;
    const place = { namespace_id, project_id };
    await trx
      .insertInto('members')
      .values({ ...place, user_id: userId, access_level, expires_at, created_by_id, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const ids = invitations.map((invitation) => invitation.id);
  await trx.deleteFrom('member_invitations').where('id', 'in', ids).execute();
}
