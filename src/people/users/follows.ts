import type { User } from '../../access/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { form } from '../../platform/database/form.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { BadRequest, NotModified } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { basicColumns, presentBasicUser } from './present.ts';
import type { BasicUserEntity } from './schema.ts';

const most = 300;

/** Starts to follow someone; 304 when that is so already, or when it is oneself. */
export async function follow(db: Database, follower: User, followee: User): Promise<void> {
  if (follower.id === followee.id) throw new NotModified();
  await db.write(async (trx) => {
    await lockRow(trx, 'users', follower.id);
    const followed = await trx
      .selectFrom('follows')
      .select('followee_id')
      .where('follower_id', '=', follower.id)
      .limit(most)
      .execute();
    if (followed.some((row) => row.followee_id === followee.id)) throw new NotModified();
    if (followed.length === most) {
      throw BadRequest.plain(`You can't follow more than ${most} users. To follow more users, unfollow some others.`);
    }
    const pair = { follower_id: follower.id, followee_id: followee.id, created_at: Date.now() };
    await trx.insertInto('follows').values(pair).execute();
  });
}

/** Stops to follow someone; 304 when nobody was followed. */
export async function unfollow(db: Database, follower: User, followee: User): Promise<void> {
  const result = await db.write((trx) =>
    trx
      .deleteFrom('follows')
      .where('follower_id', '=', follower.id)
      .where('followee_id', '=', followee.id)
      .executeTakeFirst(),
  );
  if (Number(result.numDeletedRows) === 0) throw new NotModified();
}

interface FollowQuestion {
  readonly user: number;
  readonly side: 'followers' | 'following';
}

const followList = shapedList(form<FollowQuestion>()({ values: ['user'] }), (db, { user, side }) => {
  const [own, other] =
    side === 'followers'
      ? (['follows.followee_id', 'follows.follower_id'] as const)
      : (['follows.follower_id', 'follows.followee_id'] as const);
  return db
    .selectFrom('follows')
    .innerJoin('users', 'users.id', other)
    .select(basicColumns)
    .where(own, '=', user)
    .orderBy('users.id', 'desc');
});

/** Those who follow a user, or whom the user follows; the latest first. */
export async function listFollows(
  db: Database,
  user: User,
  side: 'followers' | 'following',
  slice: Slice,
  externalUrl: string,
): Promise<Page<BasicUserEntity>> {
  const { rows, total } = await followList.page(db.read, { user: user.id, side }, slice);
  return new Page(rows, total).map((row) => presentBasicUser(row, externalUrl));
}
