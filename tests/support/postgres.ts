import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from './postgres-server.ts';

let server: Promise<string> | undefined;

/** URL of the PostgreSQL server: that of the test run, or one started for this file. */
export function postgresServer(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  server ??= given ? Promise.resolve(given) : startPostgres().then(({ url }) => url);
  return server;
}

/** A database for a single caller. */
export interface FreshPostgres {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Creates a database, empty or initialized by `prepare`. With a key, `prepare` runs once per server and key; further
 * databases are copied from that template in milliseconds.
 */
export async function freshPostgres(prepare?: (url: string) => Promise<void>, key?: string): Promise<FreshPostgres> {
  const url = await postgresServer();
  const template = prepare && key ? await templateFor(url, key, prepare) : 'template0';
  const name = `hearth_${randomBytes(8).toString('hex')}`;
  // Copying the files takes half the time of copying the pages through the log.
  await administer(url, (client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  const own = databaseUrl(url, name);
  if (prepare && !key) await prepare(own);
  const drop = async () => {
    await administer(url, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url: own, drop };
}

/** Creates the template unless it exists; test files may do so concurrently. */
function templateFor(url: string, key: string, prepare: (url: string) => Promise<void>): Promise<string> {
  const name = `hearth_template_${key}`;
  return administer(url, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount) return name;
    const unfinished = `${name}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished} template template0`);
    await prepare(databaseUrl(url, unfinished));
    await client.query(`alter database ${unfinished} rename to ${name}`);
    return name;
  });
}

async function administer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
