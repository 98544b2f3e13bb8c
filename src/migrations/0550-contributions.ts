import type { Migration } from '../platform/database/migrator.ts';

/** Joining and leaving do not count as contributions. */
const counts = (row: string) =>
  `${row}.author_id is not null and ${row}.project_id is not null and ${row}.action not in ('joined', 'left', 'expired')`;

const add = `insert into derived_contributions (user_id, project_id) values (new.author_id, new.project_id)
  on conflict (user_id, project_id) do nothing;`;
const remove = `delete from derived_contributions where user_id = old.author_id and project_id = old.project_id
  and not exists (select 1 from events e
    where e.author_id = old.author_id and e.project_id = old.project_id and ${counts('e')});`;

/**
 * The projects each user contributed to, because finding them among all events took time proportional to their number.
 */
export const contributions: Migration = {
  name: '0550-contributions',
  up: (dialect) => [
    `create table derived_contributions (
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      primary key (user_id, project_id)
    )${dialect.engine === 'sqlite' ? ' without rowid' : ''}`,
    'create index derived_contributions_project on derived_contributions (project_id)',
    `insert into derived_contributions (user_id, project_id)
      select distinct e.author_id, e.project_id from events e where ${counts('e')}`,
    ...dialect.trigger({ name: 'events_contribute', on: 'events', event: 'insert', when: counts('new'), change: add }),
    ...dialect.trigger({ name: 'events_go', on: 'events', event: 'delete', when: counts('old'), change: remove }),
    ...dialect.trigger({
      name: 'events_leave',
      on: 'events',
      event: 'update of author_id, project_id, action',
      when: counts('old'),
      change: remove,
    }),
    ...dialect.trigger({
      name: 'events_move',
      on: 'events',
      event: 'update of author_id, project_id, action',
      when: counts('new'),
      change: add,
    }),
  ],
};
