import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { loadConfig } from '../../src/config/config.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { token } from '../seed.ts';
import type { Costly } from './measure.ts';

export async function onPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface Serving extends Costly {
  readonly app: RunningServer['app'];
  close(): Promise<void>;
}

function usedBy(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that sums the processor time of all PostgreSQL backends in milliseconds, including terminated
 * ones.
 */
async function watchBackends(url: string): Promise<() => number> {
  const server = await onPostgres(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8'))?.[1]);
  });
  const used = new Map<string, number>();
  return () => {
    for (const child of readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ')) {
      // A worker may end between being listed and being read.
      const ms = usedBy(child);
      if (ms !== undefined) used.set(child, ms);
    }
    return [...used.values()].reduce((sum, each) => sum + each, 0);
  };
}

/** Starts a server in this process; measures its processor time and that of its database. */
export async function serving(data: string, url?: string): Promise<Serving> {
  const database = url === undefined ? [] : ['--database-url', url];
  const argv = ['--data', data, '--port', '0', '--root-token', token, '--log-level', 'silent', ...database];
  const { app, close } = await startServer(loadConfig(argv));
  const ask = async (path: string, secret: string) => {
    const answer = await app.inject({ url: `/api/v4${path}`, headers: { 'private-token': secret } });
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode}`);
  };
  const backends = url === undefined ? undefined : await watchBackends(url);
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 + (backends?.() ?? 0);
  };
  return { app, ask, usedMs, close };
}
