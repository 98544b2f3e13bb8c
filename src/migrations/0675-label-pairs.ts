import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const pairs = 'derived_label_pairs';
const unpaired = 'derived_unpaired_labels';

/** So many labels of an issue are paired with one another: 45 rows at most. Those that come to it later stand by themselves. */
const mostPaired = 10;

const isUnpaired = (label: string, issue: string) =>
  `exists (select 1 from ${unpaired} u where u.label_id = ${label} and u.issue_id = ${issue})`;

const ends = ({ engine }: Pick<MigrationDialect, 'engine'>, one: string, other: string) =>
  engine === 'sqlite'
    ? `min(${one}, ${other}), max(${one}, ${other})`
    : `least(${one}, ${other}), greatest(${one}, ${other})`;

/** Of two who label one issue at once neither sees the other's label: the second waits for the first. */
const waits = ({ engine }: Pick<MigrationDialect, 'engine'>, row: 'new' | 'old') =>
  engine === 'sqlite' ? '' : `perform 1 from issues where id = ${row}.issue_id for no key update;`;

/** The other labels of an issue that are paired; none where the label itself is not. */
const others = (
  row: 'new' | 'old',
) => `(select 1 where not ${isUnpaired(`${row}.label_id`, `${row}.issue_id`)}) as paired
  cross join issue_labels o where o.issue_id = ${row}.issue_id and o.label_id <> ${row}.label_id
  and not ${isUnpaired('o.label_id', 'o.issue_id')}`;

/** The other labels' rows tell project, state and whether it is confidential: the new one may not have been told yet. */
const pair = (dialect: MigrationDialect) => `${waits(dialect, 'new')}
  insert into ${unpaired} (label_id, issue_id) select new.label_id, new.issue_id
    where (select count(*) from (select 1 from issue_labels o where o.issue_id = new.issue_id
      limit ${mostPaired + 1}) as carried) > ${mostPaired};
  insert into ${pairs} (label_a, label_b, project_id, confidential, state, issue_id)
    select ${ends(dialect, 'o.label_id', 'new.label_id')}, o.project_id, o.confidential, o.state, o.issue_id
    from ${others('new')} on conflict do nothing;`;

const part = (dialect: MigrationDialect) => `${waits(dialect, 'old')}
  delete from ${pairs} where (label_a, label_b) in (
      select ${ends(dialect, 'o.label_id', 'old.label_id')} from ${others('old')})
    and project_id = old.project_id and confidential = old.confidential and state = old.state
    and issue_id = old.issue_id;
  delete from ${unpaired} where label_id = old.label_id and issue_id = old.issue_id;`;

/** All labels of an issue change together: each takes along the pairs that it comes first in. */
const move = `update ${pairs} set confidential = new.confidential, state = new.state
  where label_a = new.label_id and label_b in (select o.label_id from ${others('new')} and o.label_id > new.label_id)
  and project_id = old.project_id and confidential = old.confidential and state = old.state and issue_id = old.issue_id;`;

/**
 * Labels that go by one statement are taken off one by one, while what is left of them can still be seen: after it, as
 * PostgreSQL has it otherwise, none of them is there to tell which pairs there were.
 */
const goes = (dialect: MigrationDialect): string[] =>
  dialect.engine === 'sqlite'
    ? [`create trigger issue_labels_part after delete on issue_labels begin ${part(dialect)} end`]
    : [
        `create function issue_labels_part() returns trigger language plpgsql as $$ begin ${part(dialect)} return old; end $$`,
        `create trigger issue_labels_part before delete on issue_labels for each row execute function issue_labels_part()`,
      ];

/**
 * Which issues have two labels, for every two. To find those that many issues of either have took the longer the more these
 * were, and longest where no issue had both.
 */
export const labelPairs: Migration = {
  name: '0675-label-pairs',
  up: (dialect) => [
    `create table ${pairs} (
      label_a bigint not null,
      label_b bigint not null,
      project_id bigint not null,
      confidential integer not null,
      state text not null,
      issue_id bigint not null,
      primary key (label_a, label_b, project_id, confidential, state, issue_id)
    )${dialect.engine === 'sqlite' ? ' without rowid' : ''}`,
    `create table ${unpaired} (
      label_id bigint not null,
      issue_id bigint not null,
      primary key (label_id, issue_id)
    )${dialect.engine === 'sqlite' ? ' without rowid' : ''}`,
    `insert into ${unpaired} (label_id, issue_id) select label_id, issue_id from (
      select label_id, issue_id, row_number() over (partition by issue_id order by label_id) as place from issue_labels
    ) as placed where place > ${mostPaired}`,
    `insert into ${pairs} (label_a, label_b, project_id, confidential, state, issue_id)
      select a.label_id, b.label_id, a.project_id, a.confidential, a.state, a.issue_id
      from issue_labels a join issue_labels b on b.issue_id = a.issue_id and b.label_id > a.label_id
      where not ${isUnpaired('a.label_id', 'a.issue_id')} and not ${isUnpaired('b.label_id', 'b.issue_id')}
      order by 1, 2, 3, 4, 5, 6`,
    ...dialect.trigger({
      name: 'issue_labels_pair',
      on: 'issue_labels',
      event: 'insert',
      when: '1 = 1',
      change: pair(dialect),
    }),
    ...goes(dialect),
    // A project that moves leaves labels of its former group for others of the same title.
    ...dialect.trigger({
      name: 'issue_labels_pairs_relabel',
      on: 'issue_labels',
      event: 'update of label_id',
      when: 'old.label_id <> new.label_id',
      change: part(dialect) + pair(dialect),
    }),
    ...dialect.trigger({
      name: 'issue_labels_pairs_move',
      on: 'issue_labels',
      event: 'update of confidential, state',
      when: '(old.confidential <> new.confidential or old.state <> new.state)',
      change: move,
    }),
  ],
};
