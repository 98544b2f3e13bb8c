import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandRate, medianOf, readerRate, startHttpBackend, takeTreeApart } from './git-floor.ts';
import { writeHistory, writeWideTree } from './git-seed.ts';
import { rateOf, type Times, timesOf } from './load.ts';
import { memoryOf, startHearth, stop } from './processes.ts';
import { post, token } from './seed.ts';

const run = promisify(execFile);

/** A figure and its floor. Rates are better when higher, times when lower. */
export interface GitRow {
  readonly work: string;
  readonly floor: string;
  readonly figure: string;
  readonly ratio: string;
}

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
const ms = (time: number) => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
const rates = (work: string, floor: number, rate: number): GitRow => ({
  work,
  floor: perSecond(floor),
  figure: perSecond(rate),
  ratio: (rate / floor).toFixed(2),
});
const times = (work: string, floor: number, time: number): GitRow => ({
  work,
  floor: ms(floor),
  figure: ms(time),
  ratio: (floor / time).toFixed(2),
});

/** First requests, one each: median and 99th percentile. */
const firsts = (work: string, floor: Times, figure: Times): GitRow => ({
  work,
  floor: `${ms(floor.median)}, ${ms(floor.slow)}`,
  figure: `${ms(figure.median)}, ${ms(figure.slow)}`,
  ratio: (floor.median / figure.median).toFixed(2),
});

const identity = ['-c', 'user.name=b', '-c', 'user.email=b@example.com'];

/** Measures repository reads and writes, each against git itself in the same run. */
export async function measureGit(port: number): Promise<GitRow[]> {
  const place = await mkdtemp(join(tmpdir(), 'hearth-bench-git-'));
  const bare = join(place, 'bare.git');
  const git = (...args: string[]) => run('git', ['-C', bare, ...args], { maxBuffer: 1e9, encoding: 'buffer' });
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  await run('git', ['-C', bare, 'config', 'http.receivepack', 'true']);
  await writeHistory(bare, { commits: 3500, files: 400, fileBytes: 6600 });
  const server = await startHearth(join(place, 'data'), port, token, ['--archive-rate', '0', '--log-level', 'warn']);
  const remoteOf = (project: string) => `http://root:${token}@127.0.0.1:${port}/root/${project}.git`;
  const remote = remoteOf('bench');
  const backend = await startHttpBackend(place);
  try {
    await post(`${server.url}/api/v4/projects`, { name: 'bench' });
    await run('git', ['-C', bare, 'push', '-q', remote, 'main']);
    const api = `${server.url}/api/v4/projects/root%2Fbench/repository`;
    const headers = { 'private-token': token };
    const prefix = new URL(api).pathname;
    const rate = async (path: string) => (await rateOf(server, { paths: [`${prefix}${path}`], tokens: [token] })).rate;
    const once = async (path: string) => {
      const answer = await fetch(`${api}${path}`, { headers });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    const file = fileOf(3);
    const encoded = encodeURIComponent(file);
    const blob = (await git('rev-parse', `main:${file}`)).stdout.toString().trim();
    const tree = (await git('rev-parse', 'main^{tree}')).stdout.toString().trim();
    const pathLog = ['-20', '--format=%H'];
    const cold = await firstReads(git, once);
    const rows = [
      ...cold,
      rates('raw file, 6.6 kB', await readerRate(bare, blob), await rate(`/files/${encoded}/raw?ref=main`)),
      rates(
        'file as JSON',
        await readerRate(bare, blob, (bytes) => JSON.stringify({ content: bytes.toString('base64') })),
        await rate(`/files/${encoded}?ref=main`),
      ),
      rates('root tree', await readerRate(bare, tree, takeTreeApart), await rate('/tree?ref=main')),
      rates('20 commits', await commandRate(bare, 'log', '-20', 'main'), await rate('/commits?ref_name=main')),
      rates(
        '20 commits, page 100',
        await commandRate(bare, 'log', '-20', '--skip=1980', 'main'),
        await rate('/commits?ref_name=main&page=100'),
      ),
      rates(
        '20 commits of a path',
        await commandRate(bare, 'log', ...pathLog, 'main', '--', file),
        await rate(`/commits?ref_name=main&path=${encoded}`),
      ),
      // A different file each time, following renames, so that nothing is cached.
      times(
        '20 commits of a path, cold',
        await medianOf(15, (turn) => git('log', ...pathLog, '--follow', 'main', '--', fileOf(turn + 100))),
        await medianOf(15, (turn) => once(`/commits?ref_name=main&path=${encodeURIComponent(fileOf(turn + 100))}`)),
      ),
      rates('branches', await commandRate(bare, 'for-each-ref', 'refs/heads'), await rate('/branches')),
      times(
        'compare, 5 commits, cold',
        await medianOf(9, (turn) => git('diff', `main~${105 + 7 * turn}...main~${100 + 7 * turn}`)),
        await medianOf(9, (turn) => once(`/compare?from=main~${105 + 7 * turn}&to=main~${100 + 7 * turn}`)),
      ),
      rates(
        'compare, warm',
        await commandRate(bare, 'diff', 'main~5...main'),
        await rate('/compare?from=main~5&to=main'),
      ),
      times(
        'blame',
        await medianOf(7, () => git('blame', '--porcelain', 'main', '--', file)),
        await medianOf(7, () => once(`/files/${encoded}/blame?ref=main`)),
      ),
      times(
        'archive, tar.gz',
        await medianOf(5, () => git('archive', '--format=tar.gz', 'main')),
        await medianOf(5, () => once('/archive.tar.gz?sha=main')),
      ),
      times('clone', await cloneTime(place, `${backend.url}/bare.git`), await cloneTime(place, remote)),
      times(
        '20 clones at once',
        await clonesAtOnce(place, `${backend.url}/bare.git`),
        await clonesAtOnce(place, remote),
      ),
      times(
        '`git push` of one commit',
        await pushTime(place, `${backend.url}/bare.git`, 'floor'),
        await pushTime(place, remote, 'hearth'),
      ),
      { work: 'commit a file through the API', floor: '', figure: ms(await commitTime(api)), ratio: '' },
      { work: 'create an empty project', floor: '', figure: ms(await projectTime(server.url)), ratio: '' },
      { work: 'memory after this load', floor: '', figure: `${memoryOf(server)} MB`, ratio: '' },
    ];
    // Last, because the large push causes background work that would affect the others.
    return [...rows, await recursiveTree(place, server.url, remoteOf('wide'))];
  } finally {
    backend.close();
    await stop(server);
    await rm(place, { recursive: true, force: true });
  }
}

/**
 * Requests hundreds of files, directories and comparisons once each, before anything else, so that nothing is cached.
 */
async function firstReads(
  git: (...args: string[]) => Promise<unknown>,
  once: (path: string) => Promise<void>,
): Promise<GitRow[]> {
  const files = Array.from({ length: 300 }, (_, number) => fileOf(number));
  const folders = [...new Set(files.map((file) => file.slice(0, file.lastIndexOf('/'))))];
  const pairs = Array.from({ length: 100 }, (_, turn) => [`main~${1005 + 11 * turn}`, `main~${1000 + 11 * turn}`]);
  const log = (path: string) => git('log', '-1', '--format=%H', 'main', '--', path);
  return [
    firsts(
      `${files.length} files as JSON, first request each`,
      await timesOf(files.slice(0, 40), log),
      await timesOf(files, (file) => once(`/files/${encodeURIComponent(file)}?ref=main`)),
    ),
    firsts(
      `${folders.length} directories, first request each`,
      await timesOf(folders.slice(0, 40), (folder) => git('ls-tree', `main:${folder}`)),
      await timesOf(folders, (folder) => once(`/tree?ref=main&path=${encodeURIComponent(folder)}`)),
    ),
    firsts(
      `${pairs.length} comparisons of 5 commits, first request each`,
      await timesOf(pairs.slice(0, 20), ([from, to]) => git('diff', `${from}...${to}`)),
      await timesOf(pairs, ([from, to]) => once(`/compare?from=${from}&to=${to}`)),
    ),
  ];
}

let projects = 0;
const projectTime = (url: string) =>
  medianOf(30, () => post(`${url}/api/v4/projects`, { name: `empty ${projects++}` }));

const fileOf = (number: number) => `dir${number % 20}/sub${number % 7}/file${number}.txt`;

/** Requests different pages of a recursive listing of 100,000 files; git lists all of them each time. */
async function recursiveTree(place: string, url: string, remote: string): Promise<GitRow> {
  const bare = join(place, 'wide.git');
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  await writeWideTree(bare, 100_000);
  await post(`${url}/api/v4/projects`, { name: 'wide' });
  await run('git', ['-C', bare, 'push', '-q', remote, 'main']);
  const page = async (number: number) => {
    const path = `projects/root%2Fwide/repository/tree?recursive=true&page=${number}`;
    const answer = await fetch(`${url}/api/v4/${path}`, { headers: { 'private-token': token } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await page(1);
  return times(
    'a page of 100,000 files',
    await medianOf(3, () => run('git', ['-C', bare, 'ls-tree', '-r', '-t', 'main'], { maxBuffer: 1e9 })),
    await medianOf(30, (turn) => page(2 + turn * 170)),
  );
}

let clones = 0;
async function clone(place: string, remote: string): Promise<void> {
  clones += 1;
  await run('git', ['clone', '-q', '--bare', remote, join(place, `clone-${clones}`)]);
}
const cloneTime = (place: string, remote: string) => medianOf(5, () => clone(place, remote));
const clonesAtOnce = (place: string, remote: string) =>
  medianOf(2, () => Promise.all(Array.from({ length: 20 }, () => clone(place, remote))));

async function pushTime(place: string, remote: string, name: string): Promise<number> {
  const tree = join(place, `push-${name}`);
  await run('git', ['clone', '-q', '--depth=1', remote, tree]);
  const times: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    await writeFile(join(tree, `pushed-${name}-${count}.txt`), `${count}`);
    await run('git', ['-C', tree, 'add', '.']);
    await run('git', ['-C', tree, ...identity, 'commit', '-q', '-m', `push ${count}`]);
    times.push(await medianOf(1, () => run('git', ['-C', tree, 'push', '-q', 'origin', 'HEAD:refs/heads/pushed'])));
  }
  return times.sort((a, b) => a - b)[5] as number;
}

let commits = 0;
const commitTime = (api: string) =>
  medianOf(30, () => {
    commits += 1;
    const change = { branch: 'main', commit_message: `commit ${commits}`, content: `${commits}` };
    return post(`${api}/files/${encodeURIComponent(`api/new/file-${commits}.txt`)}`, change);
  });
