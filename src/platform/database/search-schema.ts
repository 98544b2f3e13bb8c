import type { Engine } from './engine.ts';

/** The columns of a table that are searched for substrings. */
export interface SearchedTexts {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * Returns the statements that create and maintain a search index, for migrations. It is a trigram index of the rows
 * that may contain a text; the texts of these rows still have to be compared.
 *
 * Migrations are identified by a checksum of their SQL: the output for released migrations must not change.
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
    // It stores no texts, and for each trigram only the rows that have it: a fifth of the usual size.
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

/**
 * Creates the index on PostgreSQL; fails if the server lacks the extension `pg_trgm` and the user may not create it.
 */
export function postgresSchema({ table, columns }: SearchedTexts): string[] {
  const keys = columns.map((column) => `lower(${column}) gin_trgm_ops`).join(', ');
  return [
    'create extension if not exists pg_trgm',
    `create index if not exists ${table}_search on ${table} using gin (${keys})`,
  ];
}

// Not every server permits the index. Without it searches are slow but correct, so a failure must not prevent the
// start; `prepareSearch` tries again at each start and reports the reason.
function unlessImpossible(statements: readonly string[]): string {
  return `do $$ begin ${statements.join('; ')}; exception when others then null; end $$`;
}
