import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RunnerClient } from '../ci/runner-client.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const filesInFolder = 100_000;
const filesInChange = 10_000;
const logLength = 100_000_000;
const largeLine = `${'0123456789abcdef'.repeat(6)}\n`;
const large = largeLine.repeat(Math.ceil(50_000_000 / largeLine.length));
const minified = `var a=[${'"x",'.repeat(1_250_000)}0];`;
const wide = `var b=[${'"y",'.repeat(200_000)}0];`;
const long = Array.from({ length: 18_000 }, (_, at) => `export const value${at} = ${at};`).join('\n');
const smallest = 16 * 1024;
const codePage = 30 * 1024;
const numbered = (at: number) => String(at).padStart(6, '0');

const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const commit = (message: string) =>
  `commit refs/heads/main\ncommitter Ann <ann@example.com> 1700000000 +0000\n${data(message)}`;

/** Pipes input to a git command and returns its output. */
async function feed(git: GitClient, args: readonly string[], pieces: Iterable<string>): Promise<string> {
  const child = spawn('git', args, { cwd: git.folder, env: git.env, stdio: ['pipe', 'pipe', 'inherit'] });
  const printed = text(child.stdout);
  for (const piece of pieces) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await once(child, 'close');
  assert.equal(code, 0, args.join(' '));
  return (await printed).trim();
}

/** Creates a tree with the same blob under very many names. */
async function makeFolder(git: GitClient): Promise<string> {
  const blob = await feed(git, ['hash-object', '-w', '--stdin'], ['x\n']);
  const entries = Array.from({ length: filesInFolder }, (_, at) => `100644 blob ${blob}\t${numbered(at)}.txt\n`);
  return feed(git, ['mktree'], entries);
}

/** Fast-import stream: a large directory, large files, and a commit that changes many files. */
function* history(folder: string): Generator<string> {
  yield commit('Begin');
  yield `M 040000 ${folder} folder\n`;
  yield `M 100644 inline large.txt\n${data(large)}`;
  yield `M 100644 inline minified.js\n${data(minified)}`;
  yield `M 100644 inline wide.js\n${data(wide)}`;
  yield `M 100644 inline long.ts\n${data(long)}`;
  yield commit('Change much');
  for (let at = 0; at < filesInChange; at += 1) {
    yield `M 100644 inline many/${numbered(at)}.txt\n${data(`${at}\nz\n`)}`;
  }
}

// The engine does not matter for large repositories.
describe('pages of huge content', () => {
  let server: TestServer;
  let browser: Browser;
  const home = '/root/huge';

  before(async () => {
    server = await startTestServer('sqlite');
    browser = new Browser(server);
    await browser.signIn('root', rootPassword);
    await server.must('POST /projects', { json: { name: 'huge', visibility: 'public' } });
    const git = new GitClient();
    await git.init();
    await feed(git, ['fast-import', '--quiet'], history(await makeFolder(git)));
    await git.git('push', '-q', withCredentials(server.url, 'root/huge', 'root', rootToken), 'main');
    await server.running.services.queue.drain();
  });

  /** Opens a page that must be small, and logs its cost. */
  async function openSmall(context: TestContext, path: string, most: number): Promise<string> {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begin = performance.now();
    const page = await browser.open(path);
    const took = performance.now() - begin;
    delay.disable();
    const { length } = gzipSync(page.text);
    context.diagnostic(
      `${path}: ${page.status}, ${page.text.length} characters, ${length} bytes compressed, ${took.toFixed(0)} ms, loop held ${(delay.max / 1e6).toFixed(0)} ms`,
    );
    assert.equal(page.status, 200, path);
    assert.ok(length <= most, `${path}: ${length} bytes compressed`);
    return page.text;
  }

  it('paginates a directory of 100,000 files', async (context) => {
    const first = await openSmall(context, `${home}/-/tree/main/folder`, smallest);
    assert.equal(first.match(/class="row entry/g)?.length, 100);
    assert.match(first, /rel="next"/);
    assert.match(await openSmall(context, `${home}/-/tree/main/folder?page=1000`, smallest), />099999\.txt</);
  });

  it('finds a file in a huge directory', async (context) => {
    const found = await openSmall(context, `${home}/-/find_file/main?file=er/099999`, smallest);
    assert.match(found, />folder\/099999\.txt</);
    const first = await openSmall(context, `${home}/-/find_file/main`, smallest);
    assert.match(first, /There are more/);
    const stranger = await new Browser(server).open(`${home}/-/find_file/main?file=099999`);
    assert.match(stranger.text, /Sign in to search all files/);
  });

  it('links files that are too large to show', async (context) => {
    for (const [name, size, bytes] of [
      ['large.txt', '47.7 MiB', large.length],
      ['minified.js', '4.8 MiB', minified.length],
    ] as const) {
      const page = await openSmall(context, `${home}/-/blob/main/${name}`, smallest);
      assert.match(page, new RegExp(`too large to display \\(${size}\\)`));
      const raw = await fetch(`${server.url}${home}/-/raw/main/${name}`);
      let length = 0;
      for await (const piece of raw.body ?? []) length += piece.length;
      assert.deepEqual([raw.status, length], [200, bytes], name);
      assert.match(await openSmall(context, `${home}/-/blame/main/${name}`, smallest), /too large for it/);
    }
  });

  it('truncates extremely long lines', async (context) => {
    const page = await openSmall(context, `${home}/-/blob/main/wide.js`, smallest);
    assert.match(page, /\(799010 more characters\)/);
    assert.ok(page.length < 20_000, `${page.length} characters`);
  });

  it('paginates a long file, each page below 30 KiB', async (context) => {
    const first = await openSmall(context, `${home}/-/blob/main/long.ts`, codePage);
    assert.match(first, /Lines 1 to \d+ of 18000/);
    const last = await openSmall(context, `${home}/-/blob/main/long.ts?page=18`, codePage);
    assert.match(last, /<tr id="L18000">/);
    const blame = await openSmall(context, `${home}/-/blame/main/long.ts?page=18`, codePage);
    assert.match(blame, /<tr id="L18000">/);
    assert.doesNotMatch(blame, /<tr id="L1">/);
  });

  it('paginates a diff of ten thousand files', async (context) => {
    for (const path of ['/-/commit/main', '/-/compare/main~1...main']) {
      const page = await openSmall(context, home + path, smallest);
      assert.equal(page.match(/<section class="box file" id="file-/g)?.length, 50, path);
      const next = /<a rel="next" href="([^"]+)"/.exec(page)?.[1] ?? '';
      assert.match(await openSmall(context, next, smallest), /many\/000050\.txt/);
    }
  });

  it('shows the end of a hostile 100 MB log without blocking the server', async (context) => {
    await server.must('POST /projects/root%2Fhuge/repository/commits', {
      json: {
        branch: 'ci',
        start_branch: 'main',
        commit_message: 'Check',
        actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'a: {script: x}\nb: {script: x}' }],
      },
    });
    await server.running.services.queue.drain();
    const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
    const job = await runner.take();
    const piece = '\u001b[32mline of a log that goes on and on\u001b[0m\n'.repeat(60_000);
    let written = 0;
    for (; written + piece.length <= logLength; written += piece.length) {
      assert.equal((await runner.patch(job, written, piece)).status, 202);
    }
    const during = await openSmall(context, `${home}/-/jobs/${job.id}`, smallest);
    assert.match(during, /The last 195\.3 KiB of 9\d\.\d MiB/);
    await runner.patch(job, written, 'the very end\n');
    await runner.report(job, { state: 'success' });
    const page = await openSmall(context, `${home}/-/jobs/${job.id}`, smallest);
    assert.match(page, /the very end/);
    assert.ok(page.length < 400_000, `${page.length} characters`);
    const raw = /<a href="([^"]+)">the whole log</.exec(page)?.[1] ?? '';
    const whole = await fetch(server.url + raw, { headers: { range: 'bytes=0-99', 'private-token': rootToken } });
    assert.deepEqual([whole.status, (await whole.text()).length], [206, 100]);
    const trick = await runner.take();
    await runner.patch(trick, 0, `${'section_start:1:a['.repeat(10_000)}\n`);
    assert.match(await openSmall(context, `${home}/-/jobs/${trick.id}`, smallest), /section_start:1:a\[section/);
  });
});
