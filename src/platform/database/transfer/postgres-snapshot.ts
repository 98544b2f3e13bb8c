import pg from 'pg';
import { numberTypes } from '../postgres-types.ts';
import { isTransferred, migrationRecord, quoted, type Row, type Snapshot, type TableShape } from './shapes.ts';

/** Rows may contain a diff or a long note, so few are read at a time. */
const batchSize = 200;

/** Opens a transaction that reads what was committed when it began. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, types: numberTypes });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const tables = await postgresTables(client);
    const applied = await client.query<{ name: string }>(
      `select name from ${migrationRecord} order by applied_at, name`,
    );
    return {
      tables: tables.filter(isTransferred),
      migrations: applied.rows.map(({ name }) => name),
      lastIds: await lastIds(client),
      rows: (table) => postgresRows(client, table),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** The tables of the current schema, except those of extensions. */
export async function postgresTables(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and pg_table_is_visible(c.oid) and c.relnamespace = current_schema()::regnamespace
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname`);
  return rows;
}

/** The identity sequence of each table. */
export async function postgresSequences(client: pg.Client): Promise<{ table: string; sequence: string }[]> {
  const { rows } = await client.query<{ table: string; sequence: string }>(`
    select c.relname as table, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attidentity <> ''`);
  return rows;
}

async function lastIds(client: pg.Client): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { table, sequence } of await postgresSequences(client)) {
    const { rows } = await client.query<{ last_value: number; is_called: boolean }>(
      `select last_value, is_called from ${sequence}`,
    );
    const [row] = rows;
    if (row?.is_called) found.set(table, row.last_value);
  }
  return found;
}

async function* postgresRows(client: pg.Client, { name, columns }: TableShape): AsyncGenerator<Row, void> {
  await client.query(
    `declare table_rows no scroll cursor for select ${columns.map(quoted).join(', ')} from ${quoted(name)}`,
  );
  for (;;) {
    const { rows } = await client.query<Row[number][]>({
      text: `fetch ${batchSize} from table_rows`,
      rowMode: 'array',
    });
    yield* rows;
    if (rows.length < batchSize) break;
  }
  await client.query('close table_rows');
}
