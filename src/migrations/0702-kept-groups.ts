import type { Migration } from '../platform/database/migrator.ts';

const counts = 'derived_counts';
const named = (row: string) => `'groups.' || ${row}.visibility`;
const more = `on conflict (counted, owner) do update set total = ${counts}.total + excluded.total;`;
/** In a fixed order, so that concurrent visibility changes do not deadlock. */
const add = (lines: string) => `insert into ${counts} (counted, owner, total)
  select counted, 0, sum(gained) from (${lines}) as lines where true group by counted order by counted ${more}`;
const line = (row: 'new' | 'old', by: 1 | -1) => `select ${named(row)} as counted, ${by} as gained`;
const linesIn = (rows: string, by: 1 | -1) =>
  `select ${named('r')} as counted, ${by} as gained from ${rows} r where r.kind = 'group'`;
const names = [0, 10, 20].map((visibility) => `'groups.${visibility}'`).join(', ');
const forget = `delete from ${counts} where counted in (${names}) and total <= 0;`;

const onRow = (event: 'insert' | 'delete', row: 'new' | 'old', by: 1 | -1) =>
  `create trigger groups_counted_${event} after ${event} on namespaces when ${row}.kind = 'group' begin
    ${add(line(row, by))} ${by < 0 ? forget : ''} end`;
const onStatement = (event: 'insert' | 'delete', rows: 'new' | 'old', by: 1 | -1) => [
  `create function groups_counted_${event}() returns trigger language plpgsql as $$ begin
    ${add(linesIn('rows_of', by))} ${by < 0 ? forget : ''} return null; end $$`,
  `create trigger groups_counted_${event} after ${event} on namespaces referencing ${rows} table as rows_of
    for each statement execute function groups_counted_${event}()`,
];

/** The number of groups by visibility: the publicly visible ones were counted for each page of all groups. */
export const keptGroups: Migration = {
  name: '0702-kept-groups',
  up: ({ engine, trigger }) => [
    add(linesIn('namespaces', 1)).replace(more, ''),
    ...(engine === 'sqlite'
      ? [onRow('insert', 'new', 1), onRow('delete', 'old', -1)]
      : [...onStatement('insert', 'new', 1), ...onStatement('delete', 'old', -1)]),
    ...trigger({
      name: 'groups_counted_move',
      on: 'namespaces',
      event: 'update of visibility',
      when: "(new.kind = 'group' and old.visibility <> new.visibility)",
      change: `${add(`${line('old', -1)} union all ${line('new', 1)}`)} ${forget}`,
    }),
  ],
};
