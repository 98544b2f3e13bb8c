import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { rootToken, startTestServer } from '../../support/server.ts';
import { runnerScenario, type StartedRunner } from '../runner-scenario.ts';

// npm run test:runner -- /path/to/gitlab-runner [sqlite|postgres]
const [path, engine = 'sqlite'] = process.argv.slice(2);
if (path === undefined || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error('usage: npm run test:runner -- /path/to/gitlab-runner [sqlite|postgres]');
  process.exit(2);
}
const binary = resolve(path);
const run = promisify(execFile);

/** Registers the official runner with the shell executor and four concurrent jobs. */
async function startOfficial({ url, token }: { readonly url: string; readonly token: string }): Promise<StartedRunner> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-official-runner-'));
  const config = join(home, 'config.toml');
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const registered = await run(
    binary,
    ['register', '--non-interactive', '--url', url, '--token', token, '--executor', 'shell', '--config', config],
    { env },
  );
  const written = await readFile(config, 'utf8');
  await writeFile(
    config,
    written.replace(/^concurrent = .*$/m, 'concurrent = 4').replace(/^check_interval = .*$/m, 'check_interval = 1'),
  );
  const child: ChildProcess = spawn(binary, ['run', '--config', config, '--working-directory', home], { env });
  let log = registered.stdout + registered.stderr;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  return {
    log: () => log,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await run(binary, ['unregister', '--all-runners', '--config', config], { env });
      await rm(home, { recursive: true, force: true });
    },
  };
}

const server = await startTestServer(engine, ['--job-poll', '5s']);
await runnerScenario({ url: server.url, token: rootToken }, startOfficial);
console.log('1 passed, 0 failed');
process.exit(0);
