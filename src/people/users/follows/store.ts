import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { basicColumns } from '../profiles/store.ts';

/** Returns the ids of followed users, at most `limit`. */
export async function followedBy(db: Reader, follower: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('follows')
    .select('followee_id')
    .where('follower_id', '=', follower)
    .limit(limit)
    .execute();
  return rows.map((row) => row.followee_id);
}

export async function insertFollow(trx: Writer, follower: number, followee: number): Promise<void> {
  const pair = { follower_id: follower, followee_id: followee, created_at: Date.now() };
  await trx.insertInto('follows').values(pair).execute();
}

/** Returns whether the user was followed. */
export async function deleteFollow(trx: Writer, follower: number, followee: number): Promise<boolean> {
  const result = await trx
    .deleteFrom('follows')
    .where('follower_id', '=', follower)
    .where('followee_id', '=', followee)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

interface FollowFilter {
  readonly user: number;
  readonly side: 'followers' | 'following';
}

/** Lists the followers or followed users of a user, latest first. */
export function followsOf(db: Reader, { user, side }: FollowFilter, slice: Slice) {
  const [own, other] =
    side === 'followers'
      ? (['follows.followee_id', 'follows.follower_id'] as const)
      : (['follows.follower_id', 'follows.followee_id'] as const);
  const query = db
    .selectFrom('follows')
    .innerJoin('users', 'users.id', other)
    .select(basicColumns)
    .where(own, '=', user)
    .orderBy('users.id', 'desc');
  return fetchPage(db, query, slice);
}
