import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const identity = {
  ...process.env,
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

forEachEngine((engine) => {
  describe('trees and blobs API', () => {
    let server: TestServer;
    let path: string;

    before(async () => {
      server = await startTestServer(engine, ['--large-blob', '1KiB', '--large-blob-rate', '1/1m']);
      const { id } = await server.must('POST /projects', { json: { name: 'trees' } });
      path = `/projects/${id}/repository`;
      const files = { 'README.md': 'hi', 'src/a.txt': 'same', 'src/b.txt': 'same', 'src/deep/c.txt': 'x'.repeat(3000) };
      const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
      await server.must(`POST ${path}/commits`, { json: { branch: 'main', commit_message: 'files', actions } });
    });

    const names = (rows: { path: string }[]) => rows.map((row) => row.path);

    it('lists a folder and, recursively, its subtree', async () => {
      const [folder, file] = await server.must(`GET ${path}/tree`);
      assert.deepEqual([folder.type, folder.mode, folder.path], ['tree', '040000', 'src']);
      assert.deepEqual([file.type, file.mode, file.name], ['blob', '100644', 'README.md']);
      assert.deepEqual(names(await server.must(`GET ${path}/tree?path=/src/`)), ['src/deep', 'src/a.txt', 'src/b.txt']);
      const all = ['src', 'src/deep', 'README.md', 'src/a.txt', 'src/b.txt', 'src/deep/c.txt'];
      const page = await server.api(`GET ${path}/tree?recursive=true&per_page=4&page=2`);
      assert.deepEqual([names(page.body), page.headers.get('x-total')], [all.slice(4), '6']);
      const whole = await server.api(`GET ${path}/tree?recursive=true&pagination=none`);
      assert.deepEqual([names(whole.body), whole.headers.get('x-total')], [all, null]);
    });

    it('lists the last commit of each entry', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'changes' } });
      const commits = `/projects/${id}/repository/commits`;
      const made = async (title: string, files: Record<string, string>, action = 'create') => {
        const actions = Object.entries(files).map(([file_path, content]) => ({ action, file_path, content }));
        return (await server.must(`POST ${commits}`, { json: { branch: 'main', commit_message: title, actions } })).id;
      };
      const first = await made('First\n\nmore', { a: '1', 'd/x': '1', 'd/y': '1' });
      const second = await made('Second', { 'd/x': '2' }, 'update');
      const url = `/projects/${id}/repository/tree/last_commits`;
      const told = async (query: string) =>
        (await server.must(`GET ${url}${query}`)).map(({ path, commit }: { path: string; commit: { id: string } }) => [
          path,
          commit.id,
        ]);
      assert.deepEqual(await told(''), [
        ['d', second],
        ['a', first],
      ]);
      assert.deepEqual(await told('?path=d'), [
        ['d/x', second],
        ['d/y', first],
      ]);
      assert.deepEqual(await told(`?path=d&ref=${first}&per_page=1&page=2`), [['d/y', first]]);
      const [, a] = await server.must(`GET ${url}`);
      assert.deepEqual([a.name, a.commit.title], ['a', 'First']);
      assert.equal((await server.api(`GET ${url}?path=nothing`)).status, 404);
      assert.equal((await server.api(`GET ${url}?ref=nothing`)).status, 404);
      assert.equal((await server.api(`GET ${url}`, { token: null })).status, 404);
    });

    it('rejects an unpaginated listing that expands to billions of entries', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'bomb' } });
      const { path: cwd } = server.running.services.git.repository(id);
      const git = (args: string[], input = '') =>
        execFileSync('git', args, { cwd, input, env: identity }).toString().trim();
      const names = [...'abcdefghij'];
      let tree = git(['mktree'], `100644 blob ${git(['hash-object', '-w', '--stdin'], 'boom')}\tx\n`);
      for (let level = 0; level < 11; level++) {
        tree = git(['mktree'], names.map((name) => `040000 tree ${tree}\t${name}\n`).join(''));
      }
      git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-m', 'bomb'])]);
      const whole = await server.api(`GET /projects/${id}/repository/tree?recursive=true&pagination=none`);
      assert.deepEqual([whole.status, whole.body], [413, { message: 'The listing is too long, use pagination' }]);
      const page = await server.api(`GET /projects/${id}/repository/tree?recursive=true&per_page=3&page=2`);
      assert.deepEqual([page.status, page.body.length], [200, 3]);
    });

    const walked = async (start: string) => {
      const pages: { names: string[]; token: string | null; last: string }[] = [];
      let next: string | undefined = start;
      while (next) {
        const page = await server.api(`GET ${next}`);
        assert.equal(page.headers.get('x-total'), null);
        const token = new URL(next, 'http://x').searchParams.get('page_token');
        pages.push({ names: names(page.body), token, last: page.body.at(-1)?.id });
        next = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      return pages;
    };

    it('paginates by token without gaps or duplicates', async () => {
      const inside = ['src/deep', 'src/a.txt', 'src/b.txt'];
      const all = ['src', 'src/deep', 'README.md', 'src/a.txt', 'src/b.txt', 'src/deep/c.txt'];
      for (const [query, expected] of [
        ['path=src&', inside],
        ['recursive=true&', all],
        ['recursive=true&path=src&', [...inside, 'src/deep/c.txt']],
      ] as const) {
        for (const size of [1, 2, 3]) {
          const pages = await walked(`${path}/tree?${query}pagination=keyset&per_page=${size}`);
          assert.deepEqual(
            pages.flatMap((page) => page.names),
            expected,
          );
        }
      }
    });

    it('accepts an object ID as token if it is unique', async () => {
      const [first, second, ...rest] = await walked(`${path}/tree?recursive=true&pagination=keyset&per_page=3`);
      assert.deepEqual([first?.token, second?.token, rest.length], [null, first?.last, 0]);
      const { body } = await server.api(`GET ${path}/tree?recursive=true&pagination=keyset&page_token=${first?.last}`);
      assert.deepEqual(names(body), ['src/a.txt', 'src/b.txt', 'src/deep/c.txt']);
      for (const token of ['nope', '0'.repeat(40), `${first?.last}.bm9uZQ`]) {
        const unknown = await server.api(`GET ${path}/tree?pagination=keyset&page_token=${token}`);
        assert.deepEqual([unknown.status, unknown.body], [400, { error: 'page_token is invalid' }], token);
      }
    });

    const refusals: [string, number, unknown][] = [
      ['tree?ref=nope', 404, { message: '404 Tree Not Found' }],
      ['tree?path=nope', 404, { message: '404 invalid revision or path Not Found' }],
      ['tree?path=README.md', 404, { message: '404 invalid revision or path Not Found' }],
      ['tree?path=../..', 404, { message: '404 invalid revision or path Not Found' }],
      ['tree?pagination=none', 400, { error: 'pagination cannot be "none" unless "recursive" is true' }],
      ['blobs/nope', 404, { message: '404 Blob Not Found' }],
      [`blobs/${'0'.repeat(40)}`, 404, { message: '404 Blob Not Found' }],
    ];
    for (const [call, status, body] of refusals) {
      it(`answers an error for ${call}`, async () => {
        const answer = await server.api(`GET ${path}/${call}`);
        assert.deepEqual([answer.status, answer.body], [status, body]);
      });
    }

    it('returns blobs as JSON and raw', async () => {
      const [{ id }] = (await server.must(`GET ${path}/tree?path=src`)).slice(1);
      const blob = { size: 4, encoding: 'base64', content: Buffer.from('same').toString('base64'), sha: id };
      assert.deepEqual(await server.must(`GET ${path}/blobs/${id}`), blob);
      assert.deepEqual(await server.must(`GET ${path}/blobs/${id.slice(0, 8)}`), blob);
      const raw = await server.api(`GET ${path}/blobs/${id}/raw`);
      assert.deepEqual([raw.text, raw.headers.get('content-type')], ['same', 'text/plain; charset=utf-8']);
      assert.match(raw.headers.get('cache-control') ?? '', /no-store/);
    });

    it('finds blobs by other revision syntaxes', async () => {
      const [{ id }] = (await server.must(`GET ${path}/tree?path=src`)).slice(1);
      const repo = server.running.services.git.repository(Number(path.split('/')[2])).path;
      const git = (...args: string[]) => execFileSync('git', args, { cwd: repo });
      git('update-ref', 'refs/tags/a-blob', id);
      git('-c', 'user.name=x', '-c', 'user.email=x@y.z', 'tag', '-a', '-m', 'x', 'annotated', id);
      for (const name of ['main:src/a.txt', 'HEAD:src/a.txt', 'refs/heads/main:src/b.txt', 'a-blob', 'annotated']) {
        assert.equal((await server.must(`GET ${path}/blobs/${encodeURIComponent(name)}`)).sha, id, name);
        assert.equal((await server.api(`GET ${path}/blobs/${encodeURIComponent(name)}/raw`)).text, 'same');
      }
      for (const name of [
        'main:src',
        'main:nope',
        ':README.md',
        'nope:README.md',
        'main',
        'refs/heads/main',
        'main:',
      ]) {
        const { status, body } = await server.api(`GET ${path}/blobs/${encodeURIComponent(name)}`);
        assert.deepEqual([status, body], [404, { message: '404 Blob Not Found' }], name);
      }
    });

    it('streams large blobs as JSON', async () => {
      const content = randomBytes(1024 * 1024 + 1);
      const actions = [{ action: 'create', file_path: 'l', content: content.toString('base64'), encoding: 'base64' }];
      const { id } = await server.must('POST /projects', { json: { name: 'large' } });
      const json = { branch: 'main', commit_message: 'large', actions };
      await server.must(`POST /projects/${id}/repository/commits`, { json });
      const answer = await server.api(`GET /projects/${id}/repository/blobs/main%3Al`);
      assert.equal(answer.headers.get('content-length'), String(answer.text.length));
      assert.deepEqual(Object.keys(answer.body), ['size', 'encoding', 'content', 'sha']);
      assert.equal(answer.body.size, content.length);
      assert.ok(Buffer.from(answer.body.content, 'base64').equals(content));
      const head = await server.api(`HEAD /projects/${id}/repository/blobs/${answer.body.sha}/raw`);
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(content.length)]);
    });

    it('rate-limits large blobs as JSON only', async () => {
      const [{ id }] = await server.must(`GET ${path}/tree?path=src/deep`);
      assert.equal((await server.api(`GET ${path}/blobs/${id}`)).status, 200);
      const second = await server.api(`GET ${path}/blobs/${id}`);
      assert.deepEqual([second.status, second.headers.get('retry-after')], [429, '60']);
      assert.match(second.body.message.error, /^The requested blob is over the threshold size of 1024\.\n/);
      assert.equal((await server.api(`GET ${path}/blobs/${id}/raw`)).text.length, 3000);
    });
  });
});
