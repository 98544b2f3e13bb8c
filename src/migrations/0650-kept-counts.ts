import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const kept = 'derived_counts';

/** The counter name and owner of a row, as SQL; rows with a null owner are not counted. */
interface Key {
  readonly counted: (row: string) => string;
  readonly owner: (row: string) => string;
}

const byColumn = (table: string, column: string): Key => ({
  counted: () => `'${table}.${column}'`,
  owner: (row) => `${row}.${column}`,
});
const ofAPlace = (table: string): Key[] => [byColumn(table, 'project_id'), byColumn(table, 'namespace_id')];
const ofTheInstance = (table: string): Key => ({ counted: () => `'${table}'`, owner: () => '0' });

const tables: Readonly<Record<string, readonly Key[]>> = {
  topics: [ofTheInstance('topics')],
  deploy_tokens: [ofTheInstance('deploy_tokens'), ...ofAPlace('deploy_tokens')],
  deploy_key_projects: [byColumn('deploy_key_projects', 'project_id')],
  runners: [
    { counted: (row) => `'runners.' || ${row}.runner_type`, owner: () => '0' },
    byColumn('runners', 'namespace_id'),
  ],
  runner_projects: [byColumn('runner_projects', 'project_id')],
  member_invitations: ofAPlace('member_invitations'),
  access_requests: ofAPlace('access_requests'),
  audit_events: [{ counted: (row) => `'audit_events.' || ${row}.entity_type`, owner: (row) => `${row}.entity_id` }],
};

/** Columns whose change affects the count. */
const moving: Readonly<Record<string, readonly string[]>> = {
  deploy_tokens: ['project_id', 'namespace_id'],
  runners: ['runner_type', 'namespace_id'],
  member_invitations: ['project_id', 'namespace_id'],
  access_requests: ['project_id', 'namespace_id'],
};

const onConflict = `on conflict (counted, owner) do update set total = ${kept}.total + excluded.total;`;

/** Adds or subtracts one row for each of the keys. */
const change = (keys: readonly Key[], row: 'new' | 'old', by: 1 | -1) =>
  keys
    .map(({ counted, owner }) => {
      const changed = `insert into ${kept} (counted, owner, total)
        select ${counted(row)}, ${owner(row)}, ${by} where ${owner(row)} is not null ${onConflict}`;
      if (by === 1) return changed;
      return `${changed} delete from ${kept} where counted = ${counted(row)} and owner = ${owner(row)} and total <= 0;`;
    })
    .join('\n');

/** Returns one line per row and key for many rows. */
const linesOf = (keys: readonly Key[], rows: string) =>
  keys
    .map(
      ({ counted, owner }) => `select ${counted('r')} as counted, ${owner('r')} as owner from ${rows} r
        where ${owner('r')} is not null`,
    )
    .join(' union all ');

const fill = (keys: readonly Key[], rows: string, sign: '' | '-') => `insert into ${kept} (counted, owner, total)
  select counted, owner, ${sign}count(*) from (${linesOf(keys, rows)}) as lines
  group by counted, owner order by counted, owner ${onConflict}`;

const sqliteTriggers = (table: string, keys: readonly Key[]): string[] => [
  `create trigger ${table}_counted_insert after insert on ${table} begin ${change(keys, 'new', 1)} end`,
  `create trigger ${table}_counted_delete after delete on ${table} begin ${change(keys, 'old', -1)} end`,
];

const onStatement = (table: string, event: 'insert' | 'delete', rows: string, body: string): string[] => [
  `create function ${table}_counted_${event}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
  `create trigger ${table}_counted_${event} after ${event} on ${table}
    referencing ${event === 'insert' ? 'new' : 'old'} table as ${rows}
    for each statement execute function ${table}_counted_${event}()`,
];

/** Counts the rows of a statement together, because a row changed often within one transaction becomes slow. */
const postgresTriggers = (table: string, keys: readonly Key[]): string[] => [
  ...onStatement(table, 'insert', 'made', fill(keys, 'made', '')),
  ...onStatement(
    table,
    'delete',
    'gone',
    `${fill(keys, 'gone', '-')} delete from ${kept} where total <= 0
      and (counted, owner) in (${linesOf(keys, 'gone')});`,
  ),
];

const moves = ({ trigger }: MigrationDialect, table: string, keys: readonly Key[]): string[] => {
  const columns = moving[table] ?? [];
  if (columns.length === 0) return [];
  return trigger({
    name: `${table}_counted_move`,
    on: table,
    event: `update of ${columns.join(', ')}`,
    when: `(${columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')})`,
    change: change(keys, 'old', -1) + change(keys, 'new', 1),
  });
};

/**
 * The number of rows of unfiltered lists that get long and are seldom written to: counting up to ten thousand rows took
 * most of the time of the first page.
 */
export const keptCounts: Migration = {
  name: '0650-kept-counts',
  up: (dialect) => [
    `create table ${kept} (
      counted text not null,
      owner bigint not null,
      total bigint not null,
      primary key (counted, owner)
    )${dialect.engine === 'sqlite' ? ' without rowid' : ''}`,
    ...Object.entries(tables).flatMap(([table, keys]) => [
      fill(keys, table, '').replace(onConflict, ''),
      ...(dialect.engine === 'sqlite' ? sqliteTriggers : postgresTriggers)(table, keys),
      ...moves(dialect, table, keys),
    ]),
    // Expired invitations are subtracted from the count.
    ...['project_id', 'namespace_id'].map(
      (place) => `create index member_invitations_ending_${place} on member_invitations (${place}, expires_at)
        where expires_at is not null and ${place} is not null`,
    ),
  ],
};
