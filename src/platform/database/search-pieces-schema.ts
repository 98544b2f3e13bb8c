import type { Engine } from './engine.ts';
import type { SearchedTexts } from './search-schema.ts';

/** Longer texts, in bytes, are indexed in pieces: the trigrams of a megabyte by chance would hold the server for a second. */
const longText = 16_384;

/** So many numbers of pieces belong to a row: those of row 1 are 4096 to 8191. */
export const piecesOfARow = 4096;

/**
 * The statements after which an index that `searchSchema` made takes no long texts: their rows are noted as waiting, and
 * `indexNextPiece` puts their texts into an index of pieces. PostgreSQL needs none: it does not index in this process.
 *
 * A row is in one of the two indexes, or it waits; what waits and is `held` is in the index of short texts, or no more,
 * and has but pieces to be taken away.
 *
 * Migrations are told apart by their text: what this writes for one that was released must stay as it is.
 */
export function piecesSchema(engine: Engine, texts: SearchedTexts): string[] {
  return engine === 'sqlite' ? [...piecesIndex(texts), ...triggers(texts)] : [];
}

/** Whether the texts of a row are long together. */
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
    // By itself it would merge a hundred milliseconds of pages at any write; `indexNextPiece` does so little by little.
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
    // Long texts from before there were pieces are in the index of short ones.
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
