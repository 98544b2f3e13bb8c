import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Actor } from './access/actor.ts';
import { InstanceSettings } from './access/application-settings/source.ts';
import { type FirstStart, firstStart } from './access/first-start.ts';
import { createGates } from './access/gates.ts';
import { createIdentify } from './access/identify.ts';
import { LastUse } from './access/last-use.ts';
import { createThrottle } from './access/throttle.ts';
import { serveAvatars } from './areas/avatars/pages.ts';
import { serveProjectFiles } from './areas/projects/pages.ts';
import { repairPushes } from './areas/pushes/service.ts';
import { routeGitUrl } from './areas/transport/address.ts';
import { serveUserAvatars } from './areas/users/avatar.ts';
import type { Config } from './config.ts';
import { routeDownloadUrl } from './download-addresses.ts';
import { serveDownloads } from './download-pages.ts';
import { addGitDoors } from './git-doors.ts';
import { defineJobs } from './jobs.ts';
import { migrations } from './migrations/list.ts';
import { type Database, type DatabaseOptions, openDatabase } from './platform/database/database.ts';
import { migrate } from './platform/database/migrator.ts';
import { prepareSearch } from './platform/database/search-indexes.ts';
import { createEgress } from './platform/egress/client.ts';
import { createGit } from './platform/git/git.ts';
import { createApp } from './platform/http/app.ts';
import { KeptAnswers } from './platform/http/kept-answers.ts';
import { addProbes } from './platform/http/probes.ts';
import { RateLimits } from './platform/http/rate-limits.ts';
import { requestLine } from './platform/http/request-line.ts';
import { createLogger, type Logger, requestLog } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { createQueue } from './platform/queue/queue.ts';
import { openEncryption } from './platform/secrets/encryption.ts';
import { createPasswords } from './platform/secrets/password.ts';
import type { Services } from './platform/services.ts';
import { createLocalSignals } from './platform/signals/local.ts';
import type { SignalFailure, Signals } from './platform/signals/signals.ts';
import { openLocalStorage } from './platform/storage/local.ts';
import { allRoutes } from './routes.ts';

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly firstStart: FirstStart;
  /** Finishes the requests in flight, then stops everything. */
  close(): Promise<void>;
}

/** Where the settings put the database. */
export function databasePlace(config: Config): DatabaseOptions {
  return config.databaseUrl ? { url: config.databaseUrl } : { file: join(config.data, 'hearth.db') };
}

/** Opens the database that the settings name, brought up to date. */
export async function openMigrated(config: Config): Promise<Database> {
  await mkdir(config.data, { recursive: true, mode: 0o700 });
  const db = await openDatabase(databasePlace(config));
  try {
    await migrate(db, migrations);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

interface Port {
  readonly number: number;
  /** Gives it up to whoever listens on it next. */
  release(): Promise<void>;
}

/** A free port if none is given, held until it is listened on: the system could give it to another process meanwhile. */
async function holdPort(host: string, given: number): Promise<Port> {
  if (given !== 0) return { number: given, release: async () => undefined };
  const holder = createServer().unref();
  await new Promise<void>((resolve, reject) => holder.once('error', reject).listen(0, host, resolve));
  const { port } = holder.address() as { port: number };
  return { number: port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}

function addressOf(config: Config, port: number): string {
  if (config.url) return config.url.replace(/\/+$/, '');
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function openSignals({ databaseUrl }: Config, onFailure: SignalFailure): Promise<Signals> {
  if (databaseUrl === undefined) return createLocalSignals(onFailure);
  const { openPostgresSignals } = await import('./platform/signals/postgres.ts');
  return openPostgresSignals(databaseUrl, onFailure);
}

async function openServices(config: Config, externalUrl: string, log: Logger): Promise<Services> {
  const db = await openMigrated(config);
  await prepareSearch(db, (reason, remedy) =>
    log.warn({ err: reason, remedy }, 'searches read whole tables: the database server has no trigram indexes'),
  );
  const [storage, encryption] = await Promise.all([
    openLocalStorage(join(config.data, 'storage')),
    openEncryption(join(config.data, 'secret-keys')),
  ]);
  const failed = (text: string) => (error: unknown, job?: unknown) => log.error({ err: error, job }, text);
  const signals = await openSignals(config, failed('a signal was lost'));
  const queue = createQueue({ db, signals, onFailure: failed('a background job failed') });
  return {
    config,
    externalUrl,
    db,
    signals,
    queue,
    egress: createEgress({ allowLocal: config.allowLocalEgress, allowList: [...config.egressAllow] }),
    git: createGit({ root: join(config.data, 'repositories'), processes: config.gitProcesses }),
    storage,
    encryption,
    passwords: createPasswords(),
    settings: new InstanceSettings(db, config),
    limits: new RateLimits(),
    log,
  };
}

/** Everything but the server: for commands that work on the data themselves, perhaps beside a running one. */
export async function withServices<T>(
  config: Config,
  work: (services: Services, first: FirstStart) => Promise<T>,
): Promise<T> {
  const externalUrl = addressOf(config, config.port);
  const services = await openServices(config, externalUrl, createLogger(config));
  try {
    return await work(services, await firstStart(services, new URL(externalUrl).hostname));
  } finally {
    await services.signals.close();
    services.git.close();
    await services.db.close();
  }
}

/** Settings in, a listening server out: the only place that knows every part. */
export async function startServer(given: Config, log: Logger = createLogger(given)): Promise<RunningServer> {
  // Links carry the ports, so free ones are chosen before the parts that make links are built.
  const port = await holdPort(given.host, given.port);
  const sshPort = given.sshPort === undefined ? undefined : await holdPort(given.sshHost, given.sshPort);
  const config = { ...given, sshPort: sshPort?.number };
  const externalUrl = addressOf(config, port.number);
  const services = await openServices(config, externalUrl, log);
  const { db } = services;
  const first = await firstStart(services, new URL(externalUrl).hostname);
  const lastUse = new LastUse(db, (error) => log.error({ err: error }, 'token uses could not be recorded'));
  const metrics = createMetrics(services);
  const logRequest = requestLog(log);
  const gates = createGates(db, externalUrl);
  const identify = createIdentify({ db, externalUrl, lastUse });
  const world = {
    identify,
    kept: new KeptAnswers(() => db.generation()),
    nameOf: (actor: Actor) => `${actor.user?.id ?? ''}`,
    throttle: createThrottle(services),
    externalUrl,
    spool: join(config.data, 'tmp', 'uploads'),
    fileLimit: config.maxCommitBody,
  };
  const app = await createApp({
    endpoints: allRoutes(services, gates),
    logger: log,
    ...world,
    routeUrl: (url) => routeDownloadUrl(routeGitUrl(url)),
    bodyLimit: config.maxBody,
    trustedProxies: config.trustedProxies,
    onAnswer(request, reply) {
      metrics.answered(request, reply);
      logRequest(requestLine(request, reply));
    },
  });
  const doors = await addGitDoors(app, services, lastUse);
  defineJobs(services);
  // Before anybody can push: what the last run could not record.
  await repairPushes(services);
  serveUserAvatars(app, services);
  serveAvatars(app, services, gates, identify);
  serveProjectFiles(app, services, gates, identify);
  await serveDownloads(app, services, world);
  addProbes(app, { db, metrics, metricsAllow: config.metricsAllow });
  await app.ready();
  await port.release();
  await app.listen({ host: config.host, port: port.number });
  await sshPort?.release();
  const ssh = await doors.openSsh();
  await services.queue.start();
  return {
    url: externalUrl,
    app,
    services,
    firstStart: first,
    async close() {
      await Promise.all([app.close(), ssh?.close()]);
      await services.queue.stop();
      await services.signals.close();
      await services.egress.close();
      await lastUse.close();
      services.git.close();
      await db.close();
    },
  };
}
