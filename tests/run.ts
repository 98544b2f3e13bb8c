import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres } from './support/postgres-server.ts';
import { judge } from './support/results.ts';

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

const resultsReporter = join(root, 'tests', 'support', 'results.ts');

// With a test name filter each file runs alone, because the names of the others would match, too.
const together = files.length > concurrency && !flags.some((flag) => flag.startsWith('--test-name-pattern'));

// No test takes that long on any machine.
const patienceMs = 10 * 60_000;

await useMemory();
const server = process.env.TEST_DATABASE_URL ? undefined : await startPostgres();
const directory = await mkdtemp(join(tmpdir(), 'hearth-batches-'));
try {
  const databaseUrl = process.env.TEST_DATABASE_URL ?? server?.url;
  const report = join(directory, 'results');
  process.exitCode = await runTests(together ? await writeBatches(directory) : files, { databaseUrl, report });
  // Printed last to be visible: for a killed process, node:test reports nothing else.
  for (const path of globSync(join(directory, '*.standstill'))) console.error(`\n${await readFile(path, 'utf8')}`);
  if (together) await conclude(await readFile(report, 'utf8'), databaseUrl);
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
 * next file that no other has taken, and is replaced after a number of files, so that no state accumulates.
 */
async function writeBatches(directory: string): Promise<string[]> {
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

/**
 * A complete run has thousands of tests beside each other on a busy machine. So that one unsteady test does not hide the
 * state of all others, a few failed files run once more, alone, and are named even if they pass then.
 */
async function conclude(report: string, databaseUrl: string | undefined): Promise<void> {
  const { unfinished, repeat } = judge(report, files);
  if (unfinished.length > 0) {
    console.error(`\nNot run to the end:\n${unfinished.join('\n')}`);
    process.exitCode ||= 1;
  }
  if (filters.length > 0 || repeat.length === 0) return;
  console.error(`\nFailed, and run once more:\n${repeat.join('\n')}\n`);
  process.exitCode = await runTests(repeat, { databaseUrl, atOnce: 1 });
  const result = process.exitCode === 0 ? 'UNSTEADY: failed at first, and passed when run alone' : 'Failed twice';
  console.error(`\n${result}:\n${repeat.join('\n')}`);
}

interface Run {
  readonly databaseUrl: string | undefined;
  readonly atOnce?: number;
  /** Where to write the result of each file. */
  readonly report?: string;
}

async function runTests(paths: readonly string[], { databaseUrl, atOnce = concurrency, report }: Run): Promise<number> {
  const quick = join(root, 'bin', 'quick-start.js');
  const options = [
    '--test',
    `--import=${quick}`,
    // Tests create servers and drop them: with a larger young generation most of that is freed without being copied.
    '--min-semi-space-size=32',
    '--max-semi-space-size=32',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    ...(report ? [`--test-reporter=${resultsReporter}`, `--test-reporter-destination=${report}`] : []),
    `--test-concurrency=${atOnce}`,
    ...flags,
  ];
  const child = spawn(process.execPath, [...options, ...paths], {
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
