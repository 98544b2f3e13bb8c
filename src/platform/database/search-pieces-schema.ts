import type { Engine } from './engine.ts';
import type { SearchedTexts } from './search-schema.ts';

/**
 * Texts longer than this, in bytes, are indexed in pieces: the trigrams of a megabyte of random text would block the
 * server for a second.
 */
const longText = 16_384;

/** Range of piece numbers reserved for each row: row 1 has 4096 to 8191. */
export const piecesPerRow = 4096;

/**
 * Returns the statements that exclude long texts from an index created by `searchSchema`: their rows are queued, and
 * `indexNextPiece` adds their texts to an index of pieces. PostgreSQL needs none of this: it does not index in this
 * process.
 *
 * A row is in one of the two indexes or in the queue. A queued row that is `held` is in the index of short texts or
 * deleted, and only its remaining pieces have to be removed.
 *
 * Migrations are identified by a checksum of their SQL: the output for released migrations must not change.
 */
export function piecesSchema(engine: Engine, texts: SearchedTexts): string[] {
  return engine === 'sqlite' ? [...piecesIndex(texts), ...triggers(texts)] : [];
}

/** SQL for whether the combined texts of a row are long. */
export const isLong = (row: string, columns: readonly string[]) => {
  const lengths = columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`);
  return `(${lengths.join(' + ')} > ${longText})`;
};

function piecesIndex({ table, columns }: SearchedTexts): string[] {
  const index = `${table}_pieces`;
  const set = (name: string, value: number) => `insert into ${index} (${index}, rank) values ('${name}', ${value})`;
  const text = columns.map((column) => `coalesce(${column}, '')`).join(' || char(10) || ');
  return [
    `create table if not exists derived_search_waiting (
      searched text not null,
      row_id integer not null,
      done integer not null default 0,
      held integer not null,
      primary key (searched, row_id)
    ) without rowid`,
    `create virtual table ${index} using fts5 (
      piece, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
    // Automatic merges could take a hundred milliseconds in any write; `indexNextPiece` merges in small steps.
    set('automerge', 0),
    set('deletemerge', 0),
    set('crisismerge', 64),
    `create view ${table}_texts as
      select id, ${text} as text, ${isLong(table, columns)} as is_long from ${table}`,
  ];
}

function triggers({ table, columns }: SearchedTexts): string[] {
  const index = `${table}_search`;
  const names = columns.join(', ');
  const news = columns.map((column) => `new.${column}`).join(', ');
  const changes = columns.map((column) => `${column} = new.${column}`).join(', ');
  const changed = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  const [wasLong, becomesLong] = [isLong('old', columns), isLong('new', columns)];
  const wait = (id: string, held: string) =>
    `insert or replace into derived_search_waiting (searched, row_id, held) values ('${table}', ${id}, ${held})`;
  return [
    ...['insert', 'update', 'delete'].map((event) => `drop trigger ${index}_${event}`),
    `create trigger ${index}_insert after insert on ${table} when not ${becomesLong} begin
      insert into ${index} (rowid, ${names}) values (new.id, ${news});
    end`,
    `create trigger ${index}_insert_long after insert on ${table} when ${becomesLong} begin
      ${wait('new.id', '0')};
    end`,
    `create trigger ${index}_update after update of ${names} on ${table}
    when (${changed}) and not ${wasLong} and not ${becomesLong} begin
      update ${index} set ${changes} where rowid = old.id;
    end`,
    // Long texts from before pieces were introduced are still in the index of short texts.
    `create trigger ${index}_update_long after update of ${names} on ${table}
    when (${changed}) and (${wasLong} or ${becomesLong}) begin
      delete from ${index} where rowid = old.id;
      insert into ${index} (rowid, ${names}) select new.id, ${news} where not ${becomesLong};
      ${wait('new.id', `not ${becomesLong}`)};
    end`,
    `create trigger ${index}_delete after delete on ${table} when not ${wasLong} begin
      delete from ${index} where rowid = old.id;
    end`,
    `create trigger ${index}_delete_long after delete on ${table} when ${wasLong} begin
      delete from ${index} where rowid = old.id;
      ${wait('old.id', '1')};
    end`,
  ];
}
