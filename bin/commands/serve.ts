import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Config, ConfigError } from '../../src/config/config.ts';
import { toggle } from '../../src/config/setting.ts';
import type { Logger } from '../../src/platform/log.ts';
import { refuseWithoutGit } from '../../src/platform/machine.ts';
import { randomToken } from '../../src/platform/secrets/tokens.ts';
import type { RunningServer } from '../../src/server.ts';
import { type Call, defineCommand } from '../command.ts';
import { sweepTemporaryDirectories, temporaryDirectory } from '../ephemeral.ts';
import { withReadableErrors } from '../startup-errors.ts';
import { releaseStartupMemory } from '../startup-memory.ts';
import { stopSignal } from '../stop-signals.ts';
import { welcome } from '../welcome.ts';

const flags = {
  runner: toggle(
    undefined,
    'Run jobs too: in a shell on this machine, as this user, in a sandbox if bubblewrap is installed.',
  ),
  ephemeral: toggle(undefined, 'Serve from a temporary directory that is removed at exit; print one line of JSON.'),
};

/** `hearth serve` */
export const command = defineCommand({
  about:
    'Runs until SIGINT or SIGTERM, then finishes the requests in flight; a second signal stops it at once.\n' +
    'Also stops, with exit code 1, when another server has migrated the database to a newer version.\n' +
    'With --ephemeral it uses a free port unless --port is given, and prints {"url","token","pid"} once it is ready.',
  examples: [
    'hearth',
    'hearth serve --runner',
    'hearth serve --port 9000 --data /srv/hearth',
    'hearth serve --ephemeral',
  ],
  flags,
  async run(call) {
    const stop = stopSignal();
    const config = call.flags.ephemeral ? await ephemeral(call) : call.config;
    const { createLogger } = await import('../../src/platform/log.ts');
    const log = createLogger(config);
    const server = await start(config, log).catch(withReadableErrors(config));
    const agent = call.flags.runner ? await runJobs(server, config, log) : undefined;
    console.log(call.flags.ephemeral ? ephemeralLine(server.url, config) : welcome(server, config));
    // A server that is killed never writes the cache on exit.
    setImmediate(flushCompileCache);
    globalThis.setTimeout(releaseStartupMemory, 500).unref();
    const overtaken = await Promise.race([stop, server.overtaken()]);
    if (overtaken !== undefined) log.error({ reason: overtaken }, 'this server is older than its database, and stops');
    log.info('finishing the requests in flight; another signal stops at once');
    // Parts that the server cannot stop itself, such as a hanging job, get a little longer and are then abandoned.
    const overdue = setTimeout(config.stopDeadline + 10_000, 1, { ref: false });
    const ended = Promise.resolve(agent?.stop()).then(() => server.close());
    return await Promise.race([ended.then(() => (overtaken === undefined ? 0 : 1)), overdue]);
  },
});

async function start(
  config: Config,
  log: Logger,
): Promise<Pick<RunningServer, 'url' | 'firstStart' | 'overtaken' | 'close'>> {
  // Computed once for all workers, while the modules load.
  const git = refuseWithoutGit();
  if (config.workers > 1) {
    const [{ startWorkers }] = await Promise.all([import('../workers.ts'), git]);
    return startWorkers(config, log);
  }
  const [{ startServer }] = await Promise.all([import('../../src/server.ts'), git]);
  return startServer(config, log);
}

/** The built-in runner: created at the first start, and identified by its token from then on. */
async function runJobs(server: Pick<RunningServer, 'url'> & Partial<RunningServer>, config: Config, log: Logger) {
  const { services } = server;
  if (!services) throw new ConfigError(['--runner: needs a single worker; start `hearth runner` beside several']);
  const { startOwnAgent } = await import('../runner-agent.ts');
  return startOwnAgent(
    {
      url: server.url,
      folder: join(config.data, 'runner'),
      hidden: [config.data],
      concurrent: 2,
      log: (line) => log.info(line),
    },
    async () => (await import('../../src/instance/own-runner/public.ts')).createBuiltInRunner(services),
  );
}

async function ephemeral({ config, sources }: Call<typeof flags>): Promise<Config> {
  // Settings in the environment are meant for the real server: an ephemeral one must not write to its database.
  const mistakes = (['data', 'databaseUrl'] as const).filter((name) => sources[name] === 'flag');
  if (mistakes.length > 0) throw new ConfigError(['--ephemeral: has its own data directory and database']);
  await sweepTemporaryDirectories();
  return {
    ...config,
    data: await temporaryDirectory(),
    databaseUrl: undefined,
    port: sources.port === 'flag' ? config.port : 0,
    logLevel: sources.logLevel === 'default' ? 'warn' : config.logLevel,
    rootToken: config.rootToken ?? `glpat-${randomToken()}`,
  };
}

function ephemeralLine(url: string, { rootToken }: Config): string {
  return JSON.stringify({ url, token: rootToken, pid: process.pid });
}
