import type { Migration } from '../platform/database/migrator.ts';

const people = 'derived_people';
const counts = 'derived_counts';
const groups = 'state, kind, external';
const morePeople = `on conflict (${groups}) do update set total = ${people}.total + excluded.total;`;
const lessPeople = `delete from ${people} where total <= 0;`;

const peopleSqlite = (event: 'insert' | 'delete', row: 'new' | 'old', by: string) =>
  `create trigger users_people_${event} after ${event} on users begin
    insert into ${people} (${groups}, total) values (${row}.state, ${row}.kind, ${row}.external, ${by}) ${morePeople}
    ${lessPeople} end`;

const peoplePostgres = (event: 'insert' | 'delete', rows: string, sign: '' | '-') => [
  `create function users_people_${event}() returns trigger language plpgsql as $$ begin
    insert into ${people} (${groups}, total) select ${groups}, ${sign}count(*) from rows_of
      group by ${groups} order by ${groups} ${morePeople} ${lessPeople} return null; end $$`,
  `create trigger users_people_${event} after ${event} on users referencing ${rows} table as rows_of
    for each statement execute function users_people_${event}()`,
];

// In a fixed order, so that concurrent opposite changes do not deadlock.
const peopleMoved = `insert into ${people} (${groups}, total)
  select ${groups}, gained from (
    select old.state as state, old.kind as kind, old.external as external, -1 as gained
    union all select new.state, new.kind, new.external, 1) as moved
  where true order by ${groups} ${morePeople} ${lessPeople}`;

const starNames = "'stars.shown', 'stars.private'";
const starName = (user: string) => `case when ${user}.private_profile = 1 then 'stars.private' else 'stars.shown' end`;
const more = `on conflict (counted, owner) do update set total = ${counts}.total + excluded.total;`;
const addStars = (lines: string) => `insert into ${counts} (counted, owner, total)
  select counted, owner, gained from (${lines}) as lines where true order by counted, owner ${more}`;
const lessStars = (projects: string) =>
  `delete from ${counts} where counted in (${starNames}) and owner in (${projects}) and total <= 0;`;

/** The visible stars given by one user. */
const starsOf = (
  user: 'new' | 'old',
  by: 1 | -1,
) => `select ${starName(user)} as counted, s.project_id as owner, ${by} as gained
  from stars s where s.user_id = ${user}.id and ${user}.state = 'active'`;
/** The stars added or removed by one statement. */
const starsIn = (rows: string, by: 'count(*)' | '-count(*)') => `select counted, owner, ${by} as gained from (
    select ${starName('u')} as counted, r.project_id as owner from ${rows} r join users u on u.id = r.user_id
    where u.state = 'active') as shown group by counted, owner`;

const oneStar = (
  row: 'new' | 'old',
  by: 1 | -1,
) => `select ${starName('u')} as counted, ${row}.project_id as owner, ${by} as gained
  from users u where u.id = ${row}.user_id and u.state = 'active'`;
const starsSqlite = (event: 'insert' | 'delete', row: 'new' | 'old', by: 1 | -1) =>
  `create trigger stars_counted_${event} after ${event} on stars begin
    ${addStars(oneStar(row, by))} ${lessStars(`${row}.project_id`)} end`;

// Locks the users, so that one who is blocked concurrently finds the stars already counted.
const starsPostgres = (event: 'insert' | 'delete', rows: string, by: 'count(*)' | '-count(*)') => [
  `create function stars_counted_${event}() returns trigger language plpgsql as $$ begin
    perform 1 from users where id in (select user_id from rows_of) order by id for share;
    ${addStars(starsIn('rows_of', by))} ${lessStars('select project_id from rows_of')} return null; end $$`,
  `create trigger stars_counted_${event} after ${event} on stars referencing ${rows} table as rows_of
    for each statement execute function stars_counted_${event}()`,
];

const tokens = "'deploy_tokens.lasting'";
const lasts = (row: string) => `${row}.revoked = 0 and ${row}.expires_at is null`;
const addTokens = (gained: string, from: string) => `insert into ${counts} (counted, owner, total)
  select ${tokens}, 0, ${gained} ${from} ${more}`;
const lessTokens = `delete from ${counts} where counted = ${tokens} and total <= 0;`;
const tokensSqlite = (event: 'insert' | 'delete', row: 'new' | 'old', by: 1 | -1) =>
  `create trigger deploy_tokens_lasting_${event} after ${event} on deploy_tokens when ${lasts(row)} begin
    ${addTokens(`${by}`, 'where true')} ${lessTokens} end`;
const tokensPostgres = (event: 'insert' | 'delete', rows: string, sign: '' | '-') => [
  `create function deploy_tokens_lasting_${event}() returns trigger language plpgsql as $$ begin
    ${addTokens(`${sign}count(*)`, `from rows_of r where ${lasts('r')} having count(*) > 0`)} ${lessTokens} return null; end $$`,
  `create trigger deploy_tokens_lasting_${event} after ${event} on deploy_tokens referencing ${rows} table as rows_of
    for each statement execute function deploy_tokens_lasting_${event}()`,
];

const starsGoFirst = 'delete from stars where user_id = old.id;';

/**
 * The number of users by state and kind, of visible stars per project, and of deploy tokens without expiry: each list
 * counted up to ten thousand rows.
 */
export const keptPeople: Migration = {
  name: '0680-kept-people',
  up: ({ engine, text, trigger }) => [
    `create table ${people} (
      state ${text} not null,
      kind ${text} not null,
      external integer not null,
      total bigint not null,
      primary key (${groups})
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
    `insert into ${people} (${groups}, total) select ${groups}, count(*) from users group by ${groups}`,
    ...(engine === 'sqlite'
      ? [peopleSqlite('insert', 'new', '1'), peopleSqlite('delete', 'old', '-1')]
      : [...peoplePostgres('insert', 'new', ''), ...peoplePostgres('delete', 'old', '-')]),
    ...trigger({
      name: 'users_people_move',
      on: 'users',
      event: `update of ${groups}`,
      when: '(old.state <> new.state or old.kind <> new.kind or old.external <> new.external)',
      change: peopleMoved,
    }),
    addStars(starsIn('stars', 'count(*)')).replace(more, ''),
    ...(engine === 'sqlite'
      ? [starsSqlite('insert', 'new', 1), starsSqlite('delete', 'old', -1)]
      : [...starsPostgres('insert', 'new', 'count(*)'), ...starsPostgres('delete', 'old', '-count(*)')]),
    // When a database is copied, users may be inserted after their stars.
    ...trigger({
      name: 'users_stars_insert',
      on: 'users',
      event: 'insert',
      when: "new.state = 'active'",
      change: addStars(starsOf('new', 1)),
    }),
    ...trigger({
      name: 'users_stars_move',
      on: 'users',
      event: 'update of state, private_profile',
      when: "((old.state = 'active') <> (new.state = 'active') or old.private_profile <> new.private_profile)",
      change: `${addStars(`${starsOf('old', -1)} union all ${starsOf('new', 1)}`)}
        ${lessStars('select project_id from stars where user_id = new.id')}`,
    }),
    // Before the deletion, because afterwards it is unknown whether the user was visible.
    ...(engine === 'sqlite'
      ? [`create trigger users_stars_delete before delete on users begin ${starsGoFirst} end`]
      : [
          `create function users_stars_delete() returns trigger language plpgsql as $$ begin ${starsGoFirst} return old; end $$`,
          `create trigger users_stars_delete before delete on users for each row execute function users_stars_delete()`,
        ]),
    addTokens('count(*)', `from deploy_tokens r where ${lasts('r')} having count(*) > 0`).replace(more, ''),
    ...(engine === 'sqlite'
      ? [tokensSqlite('insert', 'new', 1), tokensSqlite('delete', 'old', -1)]
      : [...tokensPostgres('insert', 'new', ''), ...tokensPostgres('delete', 'old', '-')]),
    ...trigger({
      name: 'deploy_tokens_lasting_move',
      on: 'deploy_tokens',
      event: 'update of revoked, expires_at',
      when: `(${lasts('old')}) <> (${lasts('new')})`,
      change: `${addTokens(`case when ${lasts('new')} then 1 else -1 end`, 'where true')} ${lessTokens}`,
    }),
    // Tokens with an expiry date may have expired.
    'create index deploy_tokens_ending on deploy_tokens (expires_at, revoked) where expires_at is not null',
    // For sampling groups, to estimate whether most of them match a word; users have ids in between.
    "create index namespaces_groups on namespaces (id) where kind = 'group'",
    // Covers all counted columns, so that no runner row is read.
    'create index runners_never_contacted on runners (paused, id, contacted_at) where contacted_at is null',
  ],
};
