import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { until } from '../../support/until.ts';

// npm run test:error-sdks -- [language or language@version ...]
const here = import.meta.dirname;
const root = join(here, '..', '..', '..');

interface Sdk {
  readonly language: string;
  /** The program that must be installed. */
  readonly tool: string;
  /** The documented release and the latest one. */
  readonly versions: readonly string[];
  readonly title: string;
  /** Shell commands run in a copy of its folder; `$SDK` is the version. */
  readonly commands: readonly string[];
}

const sdks: readonly Sdk[] = [
  {
    language: 'node',
    tool: 'npm',
    versions: ['7.38.0', 'latest'],
    title: 'TypeError: inner failed for 42',
    commands: ['npm install --silent --no-audit --no-fund --ignore-scripts @sentry/node@$SDK', 'node report.cjs'],
  },
  {
    language: 'python',
    tool: 'python3',
    versions: ['1.21.0', 'latest'],
    title: 'ValueError: inner failed for 42',
    commands: [
      'python3 -m venv env',
      'env/bin/pip install -q sentry-sdk$([ $SDK = latest ] || echo ==$SDK)',
      'env/bin/python report.py',
    ],
  },
  {
    language: 'go',
    tool: 'go',
    versions: ['v0.20.0', 'latest'],
    title: '*main.reportError: inner failed for 42',
    commands: ['go mod init report', 'go get github.com/getsentry/sentry-go@$SDK', 'go mod tidy', 'go run .'],
  },
  {
    language: 'java',
    tool: 'mvn',
    versions: ['6.18.1', 'RELEASE'],
    title: 'IllegalStateException: inner failed for 42',
    commands: [
      'mvn -q -B -Dsdk=$SDK compile dependency:build-classpath -Dmdep.outputFile=classpath',
      'java -cp target/classes:$(cat classpath) Report',
    ],
  },
  {
    language: 'rust',
    tool: 'cargo',
    versions: ['0.31', 'latest'],
    title: 'ReportError: inner failed for 42',
    commands: [
      'cargo init -q --name report --vcs none',
      'cargo add -q "sentry$([ $SDK = latest ] || echo @$SDK)" --no-default-features --features backtrace,contexts,panic,ureq,native-tls',
      'cargo run -q',
    ],
  },
  {
    language: 'ruby',
    tool: 'gem',
    versions: ['5.9.0', '>= 0'],
    title: 'ArgumentError: inner failed for 42',
    commands: [
      'gem install --silent --no-document --install-dir gems -v "$SDK" sentry-ruby',
      'GEM_PATH=gems:$(gem env path) ruby report.rb',
    ],
  },
  {
    language: 'php',
    tool: 'composer',
    versions: ['3.18.0', '*'],
    title: 'RuntimeException: inner failed for 42',
    commands: [
      'composer require -q --no-interaction "sentry/sentry:$SDK" nyholm/psr7 symfony/http-client',
      'php report.php',
    ],
  },
];

interface Address {
  readonly url: string;
  readonly token: string;
}

async function startServer(): Promise<{ server: ChildProcess; address: Address }> {
  const { DATABASE_URL: _, ...env } = process.env;
  const server = spawn(process.execPath, [join(root, 'bin', 'hearth.js'), 'serve', '--ephemeral'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  if (!server.stdout) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: server.stdout })) return { server, address: JSON.parse(line) };
  throw new Error('the server exited before it was ready');
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of what they read
async function call({ url, token }: Address, method: string, path: string, json?: object): Promise<any> {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': token, 'content-type': 'application/json' },
    body: json ? JSON.stringify(json) : null,
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

/** Lets an SDK report to a new project and checks the result. */
async function check(address: Address, sdk: Sdk, version: string): Promise<void> {
  const name = `${sdk.language}-${Math.random().toString(36).slice(2)}`;
  const { id } = await call(address, 'POST', '/projects', { name });
  const tracking = `/projects/${id}/error_tracking`;
  await call(address, 'PUT', `${tracking}/settings`, { active: true, integrated: true });
  const [key] = await call(address, 'GET', `${tracking}/client_keys`);
  const folder = await mkdtemp(join(tmpdir(), 'hearth-sdk-'));
  try {
    await cp(join(here, 'error_sdks', sdk.language), folder, { recursive: true });
    for (const command of sdk.commands) {
      const env = { ...process.env, SDK: version, SENTRY_DSN: key.sentry_dsn };
      const { status } = spawnSync('sh', ['-ec', command], { cwd: folder, env, stdio: 'inherit' });
      if (status !== 0) throw new Error(`${sdk.language} ${version}: ${command} failed`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await until(async () => (await call(address, 'GET', `${tracking}/errors`)).length >= 2);
  const errors: { id: string; title: string; count: number; user_count: number }[] = await call(
    address,
    'GET',
    `${tracking}/errors`,
  );
  const titles = errors.map(({ title, count, user_count }) => `${title} ${count} ${user_count}`).sort();
  assert.deepEqual(titles, [`${sdk.title} 1 1`, `a message from ${sdk.language} 1 1`].sort());
  const thrown = errors.find(({ title }) => title === sdk.title);
  const [{ id: eventId }] = await call(address, 'GET', `${tracking}/errors/${thrown?.id}/events`);
  const event = await call(address, 'GET', `${tracking}/errors/${thrown?.id}/events/${eventId}`);
  assert.deepEqual([event.release, event.environment, event.user.id], ['report@1.0.0', 'testing', '7']);
  assert.equal(event.tags.language, sdk.language);
  const trace = await call(address, 'GET', `${tracking}/errors/${thrown?.id}/stack_trace`);
  const functions: string[] = trace.stack_trace_entries.map((one: { function: string | null }) => one.function ?? '');
  const at = (part: string) => functions.findLastIndex((one) => new RegExp(`\\b${part}\\b`).test(one));
  assert.ok(at('outer') >= 0 && at('inner') > at('outer'), `the order of ${functions.join(', ')}`);
  console.log(`${sdk.language} ${version}: ${event.sdk.name} ${event.sdk.version}, ${functions.length} frames`);
}

const wanted = process.argv.slice(2);
const { server, address } = await startServer();
try {
  for (const sdk of sdks) {
    const versions = sdk.versions.filter((version) => {
      return wanted.length === 0 || wanted.includes(sdk.language) || wanted.includes(`${sdk.language}@${version}`);
    });
    if (versions.length > 0 && spawnSync('which', [sdk.tool]).status !== 0) {
      console.log(`${sdk.language}: not run, there is no ${sdk.tool}`);
      continue;
    }
    for (const version of versions) {
      await check(address, sdk, version).catch((error: unknown) => {
        console.error(error);
        process.exitCode = 1;
      });
    }
  }
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
}
