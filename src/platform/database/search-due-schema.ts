import type { Engine } from './engine.ts';
import { isLong } from './search-pieces-schema.ts';
import type { SearchedTexts } from './search-schema.ts';

/**
 * The statements after which a new row is put into its search index at the end of its transaction, together with all
 * others of that commit: the full-text search of SQLite writes out what it has at each statement that could be undone,
 * which takes as long for one row as for ten. Whoever commits deletes what is due, and the deletion indexes it
 * (`SqliteConnection.indexDue`). Nobody reads a row before that, so that none is ever missed by a search. PostgreSQL
 * needs none: its index collects by itself.
 *
 * What happens to a row before it was indexed finds nothing to change in the index; the row is then indexed as it is.
 *
 * Migrations are told apart by their text: what this writes for one that was released must stay as it is.
 */
export function dueSchema(engine: Engine, { table, columns }: SearchedTexts): string[] {
  if (engine !== 'sqlite') return [];
  const index = `${table}_search`;
  const names = columns.join(', ');
  return [
    `create table if not exists derived_search_due (
      searched text not null,
      row_id integer not null,
      primary key (searched, row_id)
    ) without rowid`,
    `drop trigger ${index}_insert`,
    `create trigger ${index}_insert after insert on ${table} when not ${isLong('new', columns)} begin
      insert into derived_search_due (searched, row_id) values ('${table}', new.id);
    end`,
    `create trigger ${index}_due after delete on derived_search_due when old.searched = '${table}' begin
      insert or replace into ${index} (rowid, ${names})
        select id, ${names} from ${table} where id = old.row_id and not ${isLong(table, columns)};
    end`,
  ];
}

/** Has the triggers of the schema index what is due. */
export const indexDue = 'delete from derived_search_due';
