import type { MigrationDialect } from '../platform/database/migrator.ts';

/** The labelled objects, issues or merge requests, and the table of their labels. */
export interface Paired {
  readonly things: string;
  readonly labels: string;
  /** The column of the label table that refers to the object. */
  readonly thing: string;
  /** Further columns copied from the object, besides the project, with their types. */
  readonly copies: Readonly<Record<string, string>>;
  readonly pairs: string;
  readonly unpaired: string;
}

/**
 * Maximum number of labels per object that are paired, which makes at most 45 rows. Labels added later remain unpaired.
 */
const mostPaired = 10;

/**
 * Returns the statements that maintain, for any two labels, the objects that have both. The statements of released
 * migrations must not change.
 */
export function labelPairsSchema(dialect: MigrationDialect, paired: Paired): string[] {
  const { engine } = dialect;
  const { things, labels, thing, copies, pairs, unpaired } = paired;
  const copied = Object.keys(copies);
  const columns = ['label_a', 'label_b', 'project_id', ...copied, thing];
  const listed = columns.join(', ');
  const places = columns.map((_, index) => index + 1).join(', ');
  const facts = (row: string) => ['project_id', ...copied, thing].map((column) => `${row}.${column}`).join(', ');
  const isOld = (column: string) => `${column} = old.${column}`;
  const areCopied = copied.map(isOld).join(' and ');

  const isUnpaired = (label: string, of: string) =>
    `exists (select 1 from ${unpaired} u where u.label_id = ${label} and u.${thing} = ${of})`;
  const ends = (one: string, other: string) =>
    engine === 'sqlite'
      ? `min(${one}, ${other}), max(${one}, ${other})`
      : `least(${one}, ${other}), greatest(${one}, ${other})`;
  /** Locks the object, because concurrent transactions adding labels to it would not see each other's labels. */
  const waits = (row: 'new' | 'old') =>
    engine === 'sqlite' ? '' : `perform 1 from ${things} where id = ${row}.${thing} for no key update;`;
  /** The other paired labels of an object; none if the label itself is unpaired. */
  const others = (
    row: 'new' | 'old',
  ) => `(select 1 where not ${isUnpaired(`${row}.label_id`, `${row}.${thing}`)}) as paired
  cross join ${labels} o where o.${thing} = ${row}.${thing} and o.label_id <> ${row}.label_id
  and not ${isUnpaired('o.label_id', `o.${thing}`)}`;

  /** Copies the values from the rows of the other labels, because those of the new row may not be set yet. */
  const pair = `${waits('new')}
  insert into ${unpaired} (label_id, ${thing}) select new.label_id, new.${thing}
    where (select count(*) from (select 1 from ${labels} o where o.${thing} = new.${thing}
      limit ${mostPaired + 1}) as carried) > ${mostPaired};
  insert into ${pairs} (${listed})
    select ${ends('o.label_id', 'new.label_id')}, ${facts('o')}
    from ${others('new')} on conflict do nothing;`;

  const part = `${waits('old')}
  delete from ${pairs} where (label_a, label_b) in (
      select ${ends('o.label_id', 'old.label_id')} from ${others('old')})
    and ${isOld('project_id')} and ${areCopied}
    and ${isOld(thing)};
  delete from ${unpaired} where ${isOld('label_id')} and ${isOld(thing)};`;

  /** All labels of an object change together; each updates the pairs in which it comes first. */
  const move = `update ${pairs} set ${copied.map((column) => `${column} = new.${column}`).join(', ')}
  where label_a = new.label_id and label_b in (select o.label_id from ${others('new')} and o.label_id > new.label_id)
  and ${isOld('project_id')} and ${areCopied} and ${isOld(thing)};`;
  const moves = copied.map((column) => `old.${column} <> new.${column}`).join(' or ');

  /**
   * Removes labels deleted by one statement one by one while the remaining ones are visible: in PostgreSQL, an after
   * trigger would see none of them and could not determine the pairs.
   */
  const goes =
    engine === 'sqlite'
      ? [`create trigger ${labels}_part after delete on ${labels} begin ${part} end`]
      : [
          `create function ${labels}_part() returns trigger language plpgsql as $$ begin ${part} return old; end $$`,
          `create trigger ${labels}_part before delete on ${labels} for each row execute function ${labels}_part()`,
        ];

  return [
    `create table ${pairs} (
      label_a bigint not null,
      label_b bigint not null,
      project_id bigint not null,
      ${copied.map((column) => `${column} ${copies[column]} not null,`).join('\n      ')}
      ${thing} bigint not null,
      primary key (${listed})
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
    `create table ${unpaired} (
      label_id bigint not null,
      ${thing} bigint not null,
      primary key (label_id, ${thing})
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
    `insert into ${unpaired} (label_id, ${thing}) select label_id, ${thing} from (
      select label_id, ${thing}, row_number() over (partition by ${thing} order by label_id) as place from ${labels}
    ) as placed where place > ${mostPaired}`,
    `insert into ${pairs} (${listed})
      select a.label_id, b.label_id, ${facts('a')}
      from ${labels} a join ${labels} b on b.${thing} = a.${thing} and b.label_id > a.label_id
      where not ${isUnpaired('a.label_id', `a.${thing}`)} and not ${isUnpaired('b.label_id', `b.${thing}`)}
      order by ${places}`,
    ...dialect.trigger({ name: `${labels}_pair`, on: labels, event: 'insert', when: '1 = 1', change: pair }),
    ...goes,
    // When a project is moved, labels of the former group are replaced by others with the same title.
    ...dialect.trigger({
      name: `${labels}_pairs_relabel`,
      on: labels,
      event: 'update of label_id',
      when: 'old.label_id <> new.label_id',
      change: part + pair,
    }),
    ...dialect.trigger({
      name: `${labels}_pairs_move`,
      on: labels,
      event: `update of ${copied.join(', ')}`,
      when: copied.length > 1 ? `(${moves})` : moves,
      change: move,
    }),
  ];
}
