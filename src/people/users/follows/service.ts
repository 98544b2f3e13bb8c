import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { BadRequest, NotFound, NotModified } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { presentBasicUser, readsProfile } from '../profiles/present.ts';
import type { BasicUserEntity } from '../profiles/schema.ts';
import { deleteFollow, followedBy, followsOf, insertFollow } from './store.ts';

const maxFollowed = 300;

/** Follows a user; 304 if already followed or oneself. */
export async function follow(
  { db, externalUrl }: Services,
  { user: follower }: SignedInActor,
  followee: User,
): Promise<BasicUserEntity> {
  if (follower.id === followee.id) throw new NotModified();
  await db.write(async (trx) => {
    await lockRow(trx, 'users', follower.id);
    const followed = await followedBy(trx, follower.id, maxFollowed);
    if (followed.includes(followee.id)) throw new NotModified();
    if (followed.length === maxFollowed) {
      throw BadRequest.plain(
        `You can't follow more than ${maxFollowed} users. To follow more users, unfollow some others.`,
      );
    }
    await insertFollow(trx, follower.id, followee.id);
  });
  return presentBasicUser(followee, externalUrl);
}

/** Unfollows a user; 304 if not followed. */
export async function unfollow(
  { db, externalUrl }: Services,
  { user: follower }: SignedInActor,
  followee: User,
): Promise<BasicUserEntity> {
  if (!(await db.write((trx) => deleteFollow(trx, follower.id, followee.id)))) throw new NotModified();
  return presentBasicUser(followee, externalUrl);
}

/** Lists the followers or followed users of a user whose profile is visible to the actor. */
export async function listFollows(
  { db, externalUrl }: Services,
  actor: Actor,
  user: User,
  side: 'followers' | 'following',
  slice: Slice,
): Promise<Page<BasicUserEntity>> {
  if (!readsProfile(actor, user)) throw new NotFound('User');
  const { rows, total } = await followsOf(db.read, { user: user.id, side }, slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}
