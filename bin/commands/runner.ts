import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { integer, secret, text } from '../../src/config/setting.ts';
import type { Agent } from '../../src/runner/agent.ts';
import { type Call, CommandError, defineCommand } from '../command.ts';
import { stopSignal } from '../stop-signals.ts';

const flags = {
  server: text('HEARTH_RUNNER_SERVER', 'http://127.0.0.1:8080', 'URL of the server whose jobs to run.'),
  runnerToken: secret('HEARTH_RUNNER_TOKEN', 'Runner token, as returned by `POST /user/runners`.'),
  concurrent: integer('HEARTH_RUNNER_CONCURRENT', 2, 'Maximum number of concurrent jobs.', [1, 1000]),
  work: text(
    'HEARTH_RUNNER_WORK',
    undefined,
    'Directory for work trees and caches; `runner` in the data directory by default.',
  ),
};

/** `hearth runner` */
export const command = defineCommand({
  about:
    'Runs jobs in a shell on this machine until SIGINT or SIGTERM: as this user, in a sandbox if bubblewrap is installed.\n' +
    "Without a runner token, it creates a runner for all projects with an administrator's token (HEARTH_ROOT_TOKEN), and\n" +
    'stores the new token.',
  examples: ['hearth runner --runner-token glrt-…', 'hearth runner --server https://hearth.example.com --concurrent 8'],
  flags,
  async run(call) {
    const stop = stopSignal();
    const agent = await start(call).catch((error: Error) => {
      throw error instanceof CommandError ? error : new CommandError(`hearth runner: ${error.message}`);
    });
    console.log(`running the jobs of ${call.flags.server}`);
    await stop;
    await agent.stop();
    return 0;
  },
});

async function start({ flags: own, config }: Call<typeof flags>): Promise<Agent> {
  const { startGivenAgent, startOwnAgent } = await import('../runner-agent.ts');
  const folder = own.work ?? join(config.data, 'runner');
  const hidden = existsSync(config.data) ? [config.data] : [];
  const options = {
    url: own.server,
    folder,
    hidden,
    concurrent: own.concurrent,
    log: (line: string) => console.log(line),
  };
  if (own.runnerToken !== undefined) return startGivenAgent({ ...options, token: own.runnerToken });
  return startOwnAgent(options, () => register(own.server, config.rootToken));
}

/** Creates a runner for all projects of a server, as an administrator. */
async function register(server: string, token: string | undefined): Promise<string> {
  if (token === undefined) {
    throw new CommandError('hearth runner: needs --runner-token, or HEARTH_ROOT_TOKEN to create a runner', 2);
  }
  const response = await fetch(`${server.replace(/\/+$/, '')}/api/v4/user/runners`, {
    method: 'POST',
    headers: { 'private-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ runner_type: 'instance_type', description: 'hearth runner' }),
  });
  if (response.status !== 201)
    throw new Error(`creating a runner failed: the server responded with ${response.status}`);
  return ((await response.json()) as { token: string }).token;
}
