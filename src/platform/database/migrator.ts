import type { Database, Engine } from './engine.ts';

/** The words in which the engines differ. */
export interface MigrationDialect {
  readonly engine: Engine;
  /** The type and constraint of an `id` column that numbers itself. */
  readonly id: string;
  /** Text that sorts by bytes on both engines. */
  readonly text: string;
  /** A column that points to another table's id; `on delete ...` and `not null` may follow. */
  ref(table: string): string;
}

/** One step of the schema: plain SQL statements, valid on both engines with the dialect's words filled in. */
export interface Migration {
  readonly name: string;
  up(dialect: MigrationDialect): string[];
}

/** Brings the schema up to date; several processes may call it at once. */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<{ applied: string[] }> {
  throw new Error(`being written: ${db.engine} ${migrations.length}`);
}
