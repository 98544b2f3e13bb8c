import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createGates } from '../../src/access/gates.ts';
import type { Route } from '../../src/access/route.ts';
import { routesOf } from '../../src/areas.ts';
import { closeServices, openServices } from '../../src/open-services.ts';
import type { Engine } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { atEnd } from './at-end.ts';
import { ApiClient, startTestServer } from './server.ts';
import { ServerPlace } from './server-process.ts';

/** A server in this or another process, and its routes. */
export interface ServerWithRoutes {
  readonly server: ApiClient;
  readonly routes: readonly Route[];
}

/**
 * Starts the server for tests of all routes: in this process, or as TEST_WORKERS worker processes (`npm run
 * test:workers`).
 */
export async function startServerWithRoutes(engine: Engine): Promise<ServerWithRoutes> {
  const workers = Number(process.env.TEST_WORKERS ?? 1);
  if (workers > 1) return startWorkers(engine, workers);
  const server = await startTestServer(engine);
  const { services } = server.running;
  return { server, routes: routesOf(services, createGates(services.db, services.externalUrl)) };
}

async function startWorkers(engine: Engine, workers: number): Promise<ServerWithRoutes> {
  const place = await ServerPlace.make(engine, ['--log-level', 'error']);
  const program = join(import.meta.dirname, '../../bin/hearth.js');
  const { child, line, ended } = await place.run(program, ['--port', '0', '--workers', `${workers}`]);
  const url = /^Hearth is ready at (.+)$/.exec(line ?? '')?.[1];
  assert.ok(url, `the workers did not start: ${line}`);
  // Services on the same data, only used to determine the routes.
  const services = await openServices(place.config(), url, createLogger({ logLevel: 'error' }));
  atEnd(async () => {
    await closeServices(services);
    child.kill('SIGTERM');
    await ended;
    assert.equal(child.exitCode, 0, 'the workers did not exit cleanly');
  });
  // Workers are chosen per connection: with keep-alive a single one would handle all calls.
  const server = new ApiClient(url, { connection: 'close' });
  return { server, routes: routesOf(services, createGates(services.db, url)) };
}
