import pg from 'pg';
import { numberTypes } from '../postgres-types.ts';
import { postgresSequences, postgresTables } from './postgres-snapshot.ts';
import { isTransferred, type Load, quoted, type Row, type TableShape, type Value } from './shapes.ts';

/** Maximum size of one insert statement, in rows and in characters. */
const batchSize = 1000;
const maxBatchCharacters = 4 * 1024 * 1024;

interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Fills a PostgreSQL database in one transaction: either everything is loaded or nothing. */
export async function openPostgresLoad(url: string): Promise<Load> {
  const client = new pg.Client({ connectionString: url, types: numberTypes });
  await client.connect();
  try {
    await client.query('begin');
    const tables = (await postgresTables(client)).filter(isTransferred);
    const references = await foreignKeys(client);
    for (const { table, name } of references)
      await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
    if (tables.length > 0) await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
    return {
      tables,
      insert: (table, rows) => insert(client, table, rows),
      async finish(lastIds) {
        // Adding a foreign key makes the server check every row.
        for (const { table, name, definition } of references) {
          await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
        }
        await setSequences(client, lastIds);
        await client.query('commit');
        await client.query('analyze');
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function foreignKeys(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`);
  return rows;
}

async function insert(client: pg.Client, { name, columns }: TableShape, rows: AsyncIterable<Row>): Promise<number> {
  const names = columns.map(quoted).join(', ');
  const text = `insert into ${quoted(name)} (${names}) select ${names} from json_populate_recordset(null::${quoted(name)}, $1)`;
  let batch: string[] = [];
  let characters = 0;
  let count = 0;
  const flush = async () => {
    if (batch.length > 0) await client.query(text, [`[${batch.join(',')}]`]);
    batch = [];
    characters = 0;
  };
  for await (const row of rows) {
    const record = JSON.stringify(
      Object.fromEntries(columns.map((column, i) => [column, encodeValue(row[i] ?? null)])),
    );
    batch.push(record);
    characters += record.length;
    count += 1;
    if (batch.length === batchSize || characters > maxBatchCharacters) await flush();
  }
  await flush();
  return count;
}

function encodeValue(value: Value): string | number | null {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}

async function setSequences(client: pg.Client, lastIds: ReadonlyMap<string, number>): Promise<void> {
  for (const { table, sequence } of await postgresSequences(client)) {
    const last = lastIds.get(table);
    await client.query('select setval($1, $2, $3)', [sequence, last ?? 1, last !== undefined]);
  }
}
