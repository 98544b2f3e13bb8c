import type { Engine } from './engine.ts';
import { isLong } from './search-pieces-schema.ts';
import type { SearchedTexts } from './search-schema.ts';

/**
 * Returns the statements that defer indexing a new row to the end of its transaction, together with all other rows of
 * that commit: SQLite's full-text search flushes its data at each statement that could be rolled back, which takes as
 * long for one row as for ten. Before the commit the due entries are deleted, and a trigger on that deletion indexes
 * the rows (`SqliteConnection.indexDue`). No reader sees a row before that, so searches miss none. PostgreSQL needs
 * none of this: its index buffers by itself.
 *
 * Changing a row before it was indexed changes nothing in the index; the row is then indexed with its final values.
 *
 * Migrations are identified by a checksum of their SQL: the output for released migrations must not change.
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

/** Makes the triggers of the schema index the due rows. */
export const indexDue = 'delete from derived_search_due';
