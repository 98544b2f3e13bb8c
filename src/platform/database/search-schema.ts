import type { Engine } from './engine.ts';

/** The texts of a table's rows that are searched for parts. */
export interface SearchedTexts {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * The statements that make a search index and keep it, for migrations. It knows by three characters in a row which
 * rows may hold a text; what those rows really hold is compared as ever.
 *
 * Migrations are told apart by their text: what this writes for one that was released must stay as it is.
 */
export function searchSchema(engine: Engine, texts: SearchedTexts): string[] {
  return engine === 'sqlite' ? sqliteSchema(texts) : [unlessImpossible(postgresSchema(texts))];
}

function sqliteSchema({ table, columns }: SearchedTexts): string[] {
  const index = `${table}_search`;
  const names = columns.join(', ');
  const news = columns.map((column) => `new.${column}`).join(', ');
  const changes = columns.map((column) => `${column} = new.${column}`).join(', ');
  const changed = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  return [
    // It holds no texts, and of each three characters only which rows they are in: a fifth of the usual size.
    `create virtual table ${index} using fts5 (
      ${names}, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
    `insert into ${index} (rowid, ${names}) select id, ${names} from ${table}`,
    `create trigger ${index}_insert after insert on ${table} begin
      insert into ${index} (rowid, ${names}) values (new.id, ${news});
    end`,
    `create trigger ${index}_update after update of ${names} on ${table} when ${changed} begin
      update ${index} set ${changes} where rowid = old.id;
    end`,
    `create trigger ${index}_delete after delete on ${table} begin
      delete from ${index} where rowid = old.id;
    end`,
  ];
}

/** PostgreSQL: what makes the index; it fails where the server lacks the extension `pg_trgm` and may not make it. */
export function postgresSchema({ table, columns }: SearchedTexts): string[] {
  const keys = columns.map((column) => `lower(${column}) gin_trgm_ops`).join(', ');
  return [
    'create extension if not exists pg_trgm',
    `create index if not exists ${table}_search on ${table} using gin (${keys})`,
  ];
}

// Whether it can be made depends on the server. Without it searches are slow and right, so a failure is no reason not
// to start; `prepareSearch` tries again at each start, and says what is wrong.
function unlessImpossible(statements: readonly string[]): string {
  return `do $$ begin ${statements.join('; ')}; exception when others then null; end $$`;
}
