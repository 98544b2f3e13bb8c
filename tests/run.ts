import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres } from './support/postgres-server.ts';

// node tests/run.ts [--flag-of-node ...] [part-of-a-path ...]
const root = join(import.meta.dirname, '..');
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const files = globSync('tests/**/*.test.ts', { cwd: root, exclude: ['tests/clients/external/**'] })
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, ''))))
  .sort();

if (files.length === 0) {
  console.error(`no test file matches ${filters.join(', ')}`);
  process.exit(1);
}

// Limited, because each file has servers with a dozen connections, which would exhaust PostgreSQL on a large machine.
// One more than the number of cores, because tests often wait for git, PostgreSQL or the disk.
const concurrency = Math.min(availableParallelism() + 1, 8);

// No test takes that long on any machine.
const patienceMs = 10 * 60_000;

await useMemory();
const server = process.env.TEST_DATABASE_URL ? undefined : await startPostgres();
const directory = await mkdtemp(join(tmpdir(), 'hearth-batches-'));
try {
  process.exitCode = await runTests(await writeBatches(directory), process.env.TEST_DATABASE_URL ?? server?.url);
  // Printed last to be visible: for a killed process, node:test reports nothing else.
  for (const report of globSync(join(directory, '*.standstill'))) console.error(`\n${await readFile(report, 'utf8')}`);
} finally {
  await rm(directory, { recursive: true, force: true });
  await server?.stop();
}

/** Keeps temporary files in memory if possible, which avoids waiting for the disk. */
async function useMemory(): Promise<void> {
  const memory = '/dev/shm';
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return;
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < 6 * 2 ** 30) return;
  // Containers often mount it noexec, but repository hooks and job scripts must be executable.
  const mounts = await readFile('/proc/mounts', 'utf8');
  const options =
    mounts
      .split('\n')
      .find((line) => line.split(' ')[1] === memory)
      ?.split(' ')[3] ?? 'noexec';
  if (!options.split(',').includes('noexec')) process.env.TMPDIR = memory;
}

/**
 * Loading the program takes longer than most test files, so the files of a process load it once. Each process takes the
 * next file that no other has taken, and is replaced after a number of files, so that no state accumulates. With a test
 * name filter each file runs alone, because the names of the others would match, too.
 */
async function writeBatches(directory: string): Promise<string[]> {
  const alone = flags.some((flag) => flag.startsWith('--test-name-pattern'));
  if (alone || files.length <= concurrency) return files;
  const limit = 12;
  // Spare processes take over the files of a killed one.
  const count = Math.ceil(files.length / limit) + concurrency;
  const support = pathToFileURL(join(root, 'tests/support/at-end.ts')).href;
  const some = longestFirst(files).map((name) => ({ name, url: pathToFileURL(join(root, name)).href }));
  const script = `import { runTogether } from '${support}';
await runTogether(${JSON.stringify(some)}, ${JSON.stringify(directory)}, ${JSON.stringify({ limit, patienceMs })});
`;
  const batches = Array.from({ length: count }, (_, at) => join(directory, `${at}.mjs`));
  for (const batch of batches) await writeFile(batch, script);
  return batches;
}

/** Starts the slowest files first, so that the processors do not wait for them at the end. */
function longestFirst(files: readonly string[]): string[] {
  const long = (file: string) => /\/(web\/browser|malformed-requests|every-route)|killed|crash/.test(file);
  return [...files.filter(long), ...files.filter((file) => !long(file))];
}

async function runTests(batches: readonly string[], databaseUrl: string | undefined): Promise<number> {
  const quick = join(root, 'bin', 'quick-start.js');
  const options = [
    '--test',
    `--import=${quick}`,
    // Tests create servers and drop them: with a larger young generation most of that is freed without being copied.
    '--min-semi-space-size=32',
    '--max-semi-space-size=32',
    '--test-reporter=spec',
    `--test-concurrency=${concurrency}`,
    ...flags,
  ];
  const child = spawn(process.execPath, [...options, ...batches], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...withoutGitSettings(process.env),
      TEST_DATABASE_URL: databaseUrl,
      // That of the servers that tests start as processes (bin/quick-start.js), so that modules are compiled once.
      NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  return typeof code === 'number' ? code : signal ? 1 : 0;
}

/** Removes git settings of the user and of the repository whose hook may run the tests. */
function withoutGitSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
}
