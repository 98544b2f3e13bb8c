import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areas } from '../../../src/areas.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { takeBackup } from '../../../src/instance/backups/public.ts';
import { restoreBackup } from '../../../src/instance/backups/restore.ts';
import { migrations } from '../../../src/migrations/list.ts';
import { databaseOptions } from '../../../src/open-services.ts';
import type { Engine } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { atEnd } from '../../support/at-end.ts';
import { testDatabasePlace } from '../../support/engines.ts';
import { TestServer } from '../../support/server.ts';

/** Creates a folder that is removed after the test file. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-backups-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Backs up a running server. */
export function backUp({ running }: TestServer, to: string, keep?: number) {
  const { config } = running.services;
  return takeBackup({ data: config.data, database: databaseOptions(config) }, to, keep);
}

/** Configuration for a server with an empty data directory and database. */
export async function emptyPlace(engine: Engine): Promise<Config> {
  const data = join(await newFolder(), 'data');
  const { url } = engine === 'postgres' ? await testDatabasePlace(engine, []) : { url: undefined };
  return loadConfig(['--port', '0', '--data', data], url ? { DATABASE_URL: url } : {});
}

/** Restores a backup and starts a server on it. */
export async function startRestored(from: string, engine: Engine): Promise<TestServer> {
  const config = await emptyPlace(engine);
  await restoreBackup(from, { data: config.data, database: databaseOptions(config), migrations });
  const server = new TestServer(await startServer(config, createLogger({ logLevel: 'error' }), areas));
  atEnd(() => server.running.close());
  return server;
}
