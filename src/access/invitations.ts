import type { Writer } from '../platform/database/database.ts';

/** Turns the invitations that wait for an e-mail address into memberships of the user who has proven to own it. */
export async function acceptInvitations(trx: Writer, userId: number, email: string): Promise<void> {
  // Taken away first: what nobody else can take, or remove with its group, is turned into a membership once.
  const invitations = await trx
    .deleteFrom('member_invitations')
    .where('email', '=', email.toLowerCase())
    .returningAll()
    .execute();
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
}
