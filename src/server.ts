import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Actor } from './access/actor.ts';
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
import { type HeldPort, holdPort } from './held-port.ts';
import { defineJobs } from './jobs.ts';
import { addressOf, closeServices, openServices } from './open-services.ts';
import { prepareSearch } from './platform/database/search-indexes.ts';
import { createApp } from './platform/http/app.ts';
import { KeptAnswers } from './platform/http/kept-answers.ts';
import { addProbes } from './platform/http/probes.ts';
import { requestLine } from './platform/http/request-line.ts';
import { createLogger, type Logger, requestLog } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import type { Services } from './platform/services.ts';
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

/** Settings in, a listening server out: the only place that knows every part. */
export async function startServer(given: Config, log: Logger = createLogger(given)): Promise<RunningServer> {
  // Links carry the ports, so free ones are chosen before the parts that make links are built.
  const port = await holdPort(given.host, given.port);
  const sshPort = given.sshPort === undefined ? undefined : await holdPort(given.sshHost, given.sshPort);
  const config = { ...given, sshPort: sshPort?.number };
  const services = await openServices(config, addressOf(config, port.number), log);
  try {
    return await serve(services, port, sshPort);
  } catch (error) {
    await closeServices(services);
    throw error;
  }
}

async function serve(services: Services, port: HeldPort, sshPort: HeldPort | undefined): Promise<RunningServer> {
  const { config, externalUrl, db, log } = services;
  await prepareSearch(db, (reason, remedy) =>
    log.warn({ err: reason, remedy }, 'searches read whole tables: the database server has no trigram indexes'),
  );
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
  const listen = async () => {
    await app.ready();
    await port.release();
    await app.listen({ host: config.host, port: port.number });
    await sshPort?.release();
    return doors.openSsh();
  };
  const ssh = await listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  await services.queue.start();
  return {
    url: externalUrl,
    app,
    services,
    firstStart: first,
    async close() {
      await Promise.all([app.close(), ssh?.close()]);
      await lastUse.close();
      await closeServices(services);
    },
  };
}
