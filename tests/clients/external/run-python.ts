import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { startPostgres } from '../../support/postgres-server.ts';
import { admin, noSlapd, Slapd, suffix } from '../../support/slapd.ts';
import { undrivenOperations } from '../operations.ts';

// npm run test:python -- [what unittest takes: a module, a class, -k part-of-a-name, -v]
const root = join(import.meta.dirname, '..', '..', '..');
const wanted = process.argv.slice(2);
const python =
  process.env.HEARTH_TEST_PYTHON ??
  (process.env.VIRTUAL_ENV ? join(process.env.VIRTUAL_ENV, 'bin', 'python') : 'python3');

/** Why the tests cannot run with this Python; undefined if they can. */
function complaint(): string | undefined {
  const probe = spawnSync(python, ['-c', 'import gitlab; print(gitlab.__version__)'], { encoding: 'utf8' });
  if (probe.status === 0) {
    console.log(`python-gitlab ${probe.stdout.trim()}`);
    return undefined;
  }
  const why = probe.error ? `${python} cannot be run.` : `${python} has no python-gitlab.`;
  return `${why} These tests need Python 3.10 or newer and python-gitlab, for example:

  python3 -m venv /tmp/python-gitlab
  /tmp/python-gitlab/bin/pip install python-gitlab
  HEARTH_TEST_PYTHON=/tmp/python-gitlab/bin/python npm run test:python`;
}

interface Address {
  readonly url: string;
  readonly token: string;
}

/** Starts an LDAP server with ann and ben in one group. */
async function startDirectory(): Promise<Slapd> {
  const slapd = await Slapd.start();
  await slapd.addGroup('Devs', [await slapd.addPerson('ann'), await slapd.addPerson('ben')]);
  return slapd;
}

function directoryFlags(): string[] {
  if (!slapd) return [];
  return [
    ...['--ldap-url', slapd.url, '--ldap-bind-dn', admin.dn, '--ldap-password', admin.password],
    ...['--ldap-base', `ou=people,${suffix}`, '--ldap-group-base', `ou=groups,${suffix}`],
  ];
}

/** Starts a temporary server without the rate limits a test suite would reach. */
async function startServer(databaseUrl: string | undefined): Promise<{ server: ChildProcess; address: Address }> {
  const rates = ['--archive-rate', '0', '--changelog-rate', '0', '--health-rate', '0'];
  const mail = ['--incoming-mail-address', 'in+%{key}@mail.example'];
  const more = ['--pages-domain', 'pages.localhost', '--commit-signing-key', join(keys, 'signing')];
  const flags = [...rates, ...mail, ...more, ...directoryFlags()];
  const { DATABASE_URL: _, ...env } = process.env;
  const server = spawn(process.execPath, [join(root, 'bin', 'hearth.js'), 'serve', '--ephemeral', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: databaseUrl ? { ...env, DATABASE_URL: databaseUrl } : env,
  });
  if (!server.stdout) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: server.stdout })) return { server, address: JSON.parse(line) };
  throw new Error('the server exited before it was ready');
}

async function runTests(address: Address): Promise<boolean> {
  const tests = spawn(python, ['-m', 'unittest', ...(wanted.length > 0 ? wanted : ['discover'])], {
    cwd: join(import.meta.dirname, 'python_gitlab'),
    stdio: 'inherit',
    env: {
      ...process.env,
      HEARTH_TEST_URL: address.url,
      HEARTH_TEST_TOKEN: address.token,
      HEARTH_TEST_DIRECTORY: slapd?.url ?? '',
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  const [code] = await once(tests, 'exit');
  return code === 0;
}

/** Whether every required operation was called. Not expected when running only some tests. */
async function drivesEverything(address: Address): Promise<boolean> {
  const left = wanted.length > 0 ? [] : await undrivenOperations(address.url, slapd !== undefined);
  for (const operation of left) console.error(`never called: ${operation}`);
  return left.length === 0;
}

async function testEngine(engine: string, databaseUrl?: string): Promise<boolean> {
  console.log(`on ${engine}`);
  const { server, address } = await startServer(databaseUrl);
  try {
    return (await runTests(address)) && (await drivesEverything(address));
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

const missing = complaint();
if (missing) {
  console.error(missing);
  process.exit(1);
}
if (noSlapd) console.log(`without a directory: ${noSlapd}`);
const slapd = noSlapd ? undefined : await startDirectory();
const postgres = await startPostgres();
const keys = await mkdtemp(join(tmpdir(), 'hearth-python-'));
try {
  const good = await testEngine('SQLite');
  if (!(await testEngine('PostgreSQL', postgres.url)) || !good) process.exitCode = 1;
} finally {
  await postgres.stop();
  await slapd?.stop();
  await rm(keys, { recursive: true, force: true });
}
