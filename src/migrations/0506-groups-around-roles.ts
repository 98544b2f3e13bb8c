import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const table = 'derived_groups_around';
type Row = 'new' | 'old';

/** The groups at and above a namespace. */
const above = (namespace: string) => `select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;

const more = `on conflict (user_id, namespace_id) do update set places = ${table}.places + excluded.places`;

const addMember = (home: string) => `insert into ${table} (user_id, namespace_id, places)
  select new.user_id, ancestor_id, 1 from namespace_ancestors where namespace_id = ${home} order by ancestor_id ${more};`;
const subtractMember = (home: string) => `
  update ${table} set places = places - 1 where user_id = old.user_id and namespace_id in (${above(home)});
  delete from ${table} where user_id = old.user_id and namespace_id in (${above(home)}) and places <= 0;`;

/** The members of a project; each has one role in it. */
const membersOf = (row: Row) => `select m.user_id, a.ancestor_id, 1 from members m, namespace_ancestors a
  where m.project_id = ${row}.id and m.expires_at is null and a.namespace_id = ${row}.namespace_id`;
const pairsOf = `select m.user_id, a.ancestor_id from members m, namespace_ancestors a
  where m.project_id = old.id and m.expires_at is null and a.namespace_id = old.namespace_id`;
const addProject = `insert into ${table} (user_id, namespace_id, places) ${membersOf('new')}
  order by m.user_id, a.ancestor_id ${more};`;
const subtractProject = `
  update ${table} set places = places - 1 where (user_id, namespace_id) in (${pairsOf});
  delete from ${table} where (user_id, namespace_id) in (${pairsOf}) and places <= 0;`;

/** The users with roles in a namespace or its projects, and their number. */
const rolesAt = (namespace: string) => `select user_id, count(*) as places from (
    select user_id from members where namespace_id = ${namespace} and expires_at is null
    union all
    select m.user_id from projects p join members m on m.project_id = p.id
      where p.namespace_id = ${namespace} and m.expires_at is null
  ) as roles group by user_id`;
const addAncestor = `insert into ${table} (user_id, namespace_id, places)
  select user_id, new.ancestor_id, places from (${rolesAt('new.namespace_id')}) as here where true order by user_id ${more};`;
const subtractAncestor = `
  update ${table} set places = ${table}.places - here.places from (${rolesAt('old.namespace_id')}) as here
    where ${table}.user_id = here.user_id and ${table}.namespace_id = old.ancestor_id;
  delete from ${table} where namespace_id = old.ancestor_id and places <= 0
    and user_id in (select user_id from (${rolesAt('old.namespace_id')}) as here);`;

const columns = ['user_id', 'namespace_id', 'project_id', 'expires_at'];
const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');

interface Step {
  readonly name: string;
  readonly event: string;
  readonly on: string;
  readonly when?: string;
  /** The rows to lock first on PostgreSQL, using its variable `home`. */
  readonly hold: string;
  readonly change: (home: string) => string;
}

/** Locks the project and its namespace, so that neither is moved before this is written. */
const holdHome = (row: Row) => `home := ${row}.namespace_id;
  if home is null then select namespace_id into home from projects where id = ${row}.project_id for share; end if;
  perform 1 from namespaces where id = home for share;`;
const holdNamespaces = (...ids: string[]) =>
  `perform 1 from namespaces where id in (${ids.join(', ')}) order by id for share;`;
/** Locks a moved namespace, so that no role in it is added or removed. */
const holdMoved = (row: Row) => `perform 1 from namespaces where id = ${row}.namespace_id for no key update;`;

const members = { on: 'members' };
const steps: readonly Step[] = [
  {
    ...members,
    name: 'insert',
    event: 'after insert',
    when: 'new.expires_at is null',
    hold: holdHome('new'),
    change: addMember,
  },
  {
    ...members,
    name: 'delete',
    event: 'after delete',
    when: 'old.expires_at is null',
    hold: holdHome('old'),
    change: subtractMember,
  },
  {
    ...members,
    name: 'leave',
    event: `after update of ${columns.join(', ')}`,
    when: `old.expires_at is null and (${changed})`,
    hold: holdHome('old'),
    change: subtractMember,
  },
  {
    ...members,
    name: 'enter',
    event: `after update of ${columns.join(', ')}`,
    when: `new.expires_at is null and (${changed})`,
    hold: holdHome('new'),
    change: addMember,
  },
  // When a database is copied, projects may be inserted after their members.
  { on: 'projects', name: 'insert', event: 'after insert', hold: '', change: () => addProject },
  // Before the deletion, because the members are deleted with the project.
  {
    on: 'projects',
    name: 'delete',
    event: 'before delete',
    hold: holdNamespaces('old.namespace_id'),
    change: () => subtractProject,
  },
  {
    on: 'projects',
    name: 'move',
    event: 'after update of namespace_id',
    when: 'old.namespace_id <> new.namespace_id',
    hold: holdNamespaces('old.namespace_id', 'new.namespace_id'),
    change: () => subtractProject + addProject,
  },
  {
    on: 'namespace_ancestors',
    name: 'insert',
    event: 'after insert',
    hold: holdMoved('new'),
    change: () => addAncestor,
  },
  {
    on: 'namespace_ancestors',
    name: 'delete',
    event: 'after delete',
    hold: holdMoved('old'),
    change: () => subtractAncestor,
  },
  // Before the deletion: PostgreSQL deletes members and ancestors first and runs their triggers afterwards, when
  // neither can be looked up any more.
  {
    on: 'namespaces',
    name: 'delete',
    event: 'before delete',
    hold: '',
    change: () => 'delete from namespace_ancestors where namespace_id = old.id or ancestor_id = old.id;',
  },
];

const homeOf = (row: Row) =>
  `coalesce(${row}.namespace_id, (select p.namespace_id from projects p where p.id = ${row}.project_id))`;

function sqliteTrigger({ on, name, event, when, change }: Step): string[] {
  const row = name === 'delete' || name === 'leave' ? 'old' : 'new';
  const condition = when === undefined ? '' : `when ${when}`;
  return [`create trigger ${on}_around_${name} ${event} on ${on} ${condition} begin ${change(homeOf(row))} end`];
}

function postgresTrigger({ on, name, event, when, hold, change }: Step): string[] {
  const trigger = `${on}_around_${name}`;
  const result = event.startsWith('before') ? 'old' : 'null';
  const condition = when === undefined ? '' : `when (${when})`;
  return [
    `create function ${trigger}() returns trigger language plpgsql as $$ declare home bigint;
      begin ${hold} ${change('home')} return ${result}; end $$`,
    `create trigger ${trigger} ${event} on ${on} for each row ${condition} execute function ${trigger}()`,
  ];
}

/**
 * The groups that are visible to users because of a role in them or somewhere below, with the number of such roles.
 * Climbing from each project took time proportional to the number of projects. Expiring roles are left out, so that
 * none counts after its end; they are few and are looked up.
 */
export const groupsAroundRoles: Migration = {
  name: '0506-groups-around-roles',
  up: ({ engine }: MigrationDialect) => [
    `create table ${table} (
      user_id bigint not null references users (id) on delete cascade,
      namespace_id bigint not null,
      places bigint not null,
      primary key (user_id, namespace_id)
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
    `insert into ${table} (user_id, namespace_id, places)
      select m.user_id, a.ancestor_id, count(*)
      from members m left join projects p on p.id = m.project_id
        join namespace_ancestors a on a.namespace_id = coalesce(m.namespace_id, p.namespace_id)
      where m.expires_at is null group by m.user_id, a.ancestor_id`,
    'create index members_ending on members (user_id) where expires_at is not null',
    ...steps.flatMap(engine === 'sqlite' ? sqliteTrigger : postgresTrigger),
  ],
};
