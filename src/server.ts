import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from './access/actor.ts';
import type { Area } from './access/area.ts';
import { deployTokenLookup } from './access/credentials/deploy-tokens.ts';
import { createIdentify } from './access/credentials/identify.ts';
import { jobTokenLookup } from './access/credentials/job-tokens.ts';
import { LastUse } from './access/credentials/last-use.ts';
import { openToken } from './access/credentials/sealed-token.ts';
import { createGates } from './access/gates.ts';
import { createMaintenance } from './access/limits/maintenance.ts';
import { createThrottle } from './access/limits/throttle.ts';
import { exceedsFailedSignInLimit } from './access/limits/wrong-credentials.ts';
import type { Services } from './access/services.ts';
import { areas as allAreas, routesOf } from './areas.ts';
import { routeProxyUrl } from './ci/dependency-proxy/public.ts';
import { openSites } from './ci/pages/public.ts';
import { routeRegistryUrl } from './ci/registry/public.ts';
import { routeDownloadUrl } from './code/downloads/public.ts';
import { routeGitUrl } from './code/transport/public.ts';
import type { Config } from './config/config.ts';
import { type FirstStart, firstStart } from './instance/first-start/public.ts';
import { migrations } from './migrations/list.ts';
import { addressOf, closeServices, openServices } from './open-services.ts';
import { routeEpicUrl } from './planning/epics/public.ts';
import { type Watch, watchSchema } from './platform/database/schema-watch.ts';
import { prepareSearch } from './platform/database/search-indexes.ts';
import { createApp } from './platform/http/app.ts';
import { addProbes } from './platform/http/server/probes.ts';
import { type ReservedPort, reservePort } from './platform/http/server/reserved-port.ts';
import { createLogger, type Logger, type RequestLine, requestLog } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import type { Passwords } from './platform/secrets/password.ts';
import { routeWebUrl } from './web/frame/addresses.ts';

/** The fields of a request's log line. */
function requestLine(request: FastifyRequest, reply: FastifyReply): RequestLine {
  const length = Number(reply.getHeader('content-length'));
  return {
    requestId: request.id,
    method: request.method,
    url: request.originalUrl,
    status: reply.statusCode,
    duration: Math.round(reply.elapsedTime * 100) / 100,
    remote: request.ip,
    ...(Number.isFinite(length) ? { bytes: length } : {}),
    ...(request.headers['user-agent'] === undefined ? {} : { agent: request.headers['user-agent'] }),
  };
}

/** A running server. */
export interface RunningServer {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly firstStart: FirstStart;
  /**
   * Watches for a newer version that migrates the database; resolves with the reason. The caller then closes this
   * server.
   */
  overtaken(): Promise<string>;
  /** Finishes the requests in progress, then stops everything. */
  close(): Promise<void>;
}

/** The composition root: takes settings and returns a listening server. The only module that knows all parts. */
export async function startServer(
  given: Config,
  log: Logger = createLogger(given),
  areas: readonly Area[] = allAreas,
  passwords?: Passwords,
): Promise<RunningServer> {
  // Links contain the ports, so free ports are reserved before the parts that create links.
  const port = await reservePort(given.host, given.port);
  const sshPort = given.sshPort === undefined ? undefined : await reservePort(given.sshHost, given.sshPort);
  const config = { ...given, sshPort: sshPort?.number };
  const services = await openServices(config, addressOf(config, port.number), log, areas, passwords);
  try {
    return await serve(services, areas, port, sshPort);
  } catch (error) {
    await closeServices(services);
    throw error;
  }
}

async function serve(
  services: Services,
  areas: readonly Area[],
  port: ReservedPort,
  sshPort: ReservedPort | undefined,
): Promise<RunningServer> {
  const { config, externalUrl, db, log } = services;
  await prepareSearch(db, migrations, (reason, remedy) =>
    log.warn({ err: reason, remedy }, 'searches scan whole tables: the database server has no trigram indexes'),
  );
  const first = await firstStart(services, new URL(externalUrl).hostname);
  const lastUse = new LastUse(db, (error) => log.error({ err: error }, 'token uses could not be recorded'));
  const metrics = createMetrics(services);
  const logRequest = requestLog(log);
  const gates = createGates(db, externalUrl);
  const identify = createIdentify({
    db,
    externalUrl,
    settings: services.settings,
    lastUse,
    jobToken: jobTokenLookup(services),
    deployToken: deployTokenLookup(services),
    unseal: (sealed) => openToken(services.encryption, sealed),
    isGuessing: (ip) => exceedsFailedSignInLimit(services, ip),
    actsAs: (by, user, call) => db.write((trx) => services.announce(trx, 'user.acted_as', { user, by, call })),
  });
  const pipeline = {
    identify,
    throttle: createThrottle(services),
    admit: createMaintenance(services),
    isAnonymous: ({ carrier }: Actor) => carrier === 'none',
    anonymousBodyLimit: config.maxAnonymousBody,
    externalUrl,
    spool: join(config.data, 'tmp', 'uploads'),
    fileLimit: config.maxCommitBody,
  };
  const onAnswer = (request: FastifyRequest, reply: FastifyReply) => {
    metrics.answered(request, reply);
    logRequest(requestLine(request, reply));
  };
  const sites = await openSites(services, { identify, onAnswer });
  const app = await createApp({
    endpoints: routesOf(services, gates, areas),
    logger: log,
    ...pipeline,
    routeUrl: (url) => routeWebUrl(routeDownloadUrl(routeGitUrl(routeRegistryUrl(routeProxyUrl(routeEpicUrl(url)))))),
    bodyLimit: config.maxBody,
    bodyStall: config.bodyStall,
    trustedProxies: config.trustedProxies,
    elsewhere: sites?.elsewhere,
    onAnswer,
  });
  for (const area of areas) area.jobs?.(services);
  // Before the first request: repair what the previous run left unfinished.
  for (const area of areas) {
    await area.repair?.(services).catch((error: unknown) => {
      log.error({ err: error, area: area.name }, 'unfinished work of the previous run could not be repaired');
    });
  }
  const opened: Awaited<ReturnType<NonNullable<Area['pages']>>>[] = [];
  for (const area of areas) opened.push(await area.pages?.(app, { services, gates, lastUse, identify, pipeline }));
  const metricsShown = async () => (await services.settings.read()).prometheus_metrics_enabled;
  addProbes(app, { db, data: config.data, metrics, metricsAllow: config.metricsAllow, metricsShown });
  const listen = async () => {
    await app.ready();
    await port.release();
    await app.listen({ host: config.host, port: port.number });
    await sshPort?.release();
    return Promise.all(opened.map((listen) => listen?.()));
  };
  const listeners = await listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  await services.queue.start();
  let schema: Watch | undefined;
  return {
    url: externalUrl,
    app,
    services,
    firstStart: first,
    overtaken() {
      schema ??= watchSchema(db, migrations);
      return schema.newerSchema;
    },
    async close() {
      schema?.stop();
      const late = setTimeout(() => {
        log.warn('some requests did not finish in time: their connections are closed');
        app.server.closeAllConnections();
      }, config.stopDeadline);
      await Promise.all([app.close(), sites?.close(), ...listeners.map((listener) => listener?.close())]);
      clearTimeout(late);
      await lastUse.close();
      await closeServices(services);
    },
  };
}
