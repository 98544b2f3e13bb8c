import type { Migration } from '../platform/database/migrator.ts';

const first = "(select min(id) from users where kind = 'ghost')";
const others = `(select id from users where kind = 'ghost' and id > ${first})`;

/** Concurrent account deletions could create several ghost users; their data is moved to the first one. */
export const oneGhost: Migration = {
  name: '0035-one-ghost',
  up: () => [
    `update projects set creator_id = ${first} where creator_id in ${others}`,
    `update commit_comments set author_id = ${first} where author_id in ${others}`,
    `delete from users where id in ${others}`,
    "create unique index users_one_ghost on users (kind) where kind = 'ghost'",
  ],
};
