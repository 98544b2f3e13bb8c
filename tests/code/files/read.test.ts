import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import type { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { foreign, oddRepository } from './odd-repository.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const families = ['x-gitlab', 'x-service'];

let source: GitClient;
/** Mode, object and path of every file as listed by git. */
let files: { mode: string; oid: string; path: string }[];
let lastCommits: Map<string, string>;

before(async () => {
  source = await oddRepository();
  const listed = await source.git('ls-tree', '-r', '-z', 'main');
  files = listed.split('\0').flatMap((line) => {
    const [, mode = '', oid = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    // The test client cannot express the name that is not valid UTF-8; it has a separate test.
    return path === '' || path.includes('\ufffd') ? [] : [{ mode, oid, path }];
  });
  lastCommits = new Map();
  for (const { path } of files) {
    lastCommits.set(path, await source.git('log', '-1', '--format=%H', 'main', '--', `:(literal)${path}`));
  }
});

forEachEngine((engine) => {
  describe('reading files', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let hidden: Project;

    const at = (path: string, of = project) => `/projects/${of.id}/repository/files/${encodeURIComponent(path)}`;
    const bytesOf = async (path: string, query = '') => {
      const response = await fetch(`${server.url}/api/v4${at(path)}/raw${query}`);
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const blob = (oid: string) => execFileSync('git', ['cat-file', 'blob', oid], { cwd: source.folder });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addFilledProject(server, owner, 'odd', source, 'public');
      hidden = await addFilledProject(server, owner, 'hidden', source, 'private');
      await addMember(server, hidden, guest, Role.guest);
    });

    it('returns JSON, raw bytes and headers matching git', async () => {
      const head = await source.git('rev-parse', 'main');
      for (const { mode, oid, path } of files) {
        const content = mode === '160000' ? Buffer.alloc(0) : blob(oid);
        const expected = {
          file_name: path.split('/').at(-1),
          file_path: path,
          size: content.length,
          encoding: 'base64',
          content_sha256: sha256(content),
          ref: 'main',
          blob_id: oid,
          commit_id: head,
          last_commit_id: lastCommits.get(path),
          execute_filemode: mode === '100755',
          content: content.toString('base64'),
        };
        const answer = await server.api(`GET ${at(path)}?ref=main`);
        assert.deepEqual([answer.status, answer.body], [200, expected], path);
        assert.deepEqual(Object.keys(answer.body), Object.keys(expected));
        assert.equal(answer.headers.get('content-type'), 'application/json');
        const { response, bytes } = await bytesOf(path, '?ref=main');
        assert.ok(bytes.equals(content), path);
        for (const one of [answer.headers, response.headers]) {
          for (const family of families) {
            assert.equal(one.get(`${family}-blob-id`), oid);
            assert.equal(one.get(`${family}-commit-id`), head);
            assert.equal(one.get(`${family}-last-commit-id`), expected.last_commit_id);
            assert.equal(one.get(`${family}-content-sha256`), expected.content_sha256);
            assert.equal(one.get(`${family}-execute-filemode`), String(expected.execute_filemode));
            assert.equal(one.get(`${family}-size`), String(content.length));
            assert.equal(one.get(`${family}-encoding`), 'base64');
            assert.equal(one.get(`${family}-ref`), 'main');
          }
        }
      }
      assert.ok(files.length > 18);
      assert.equal((await server.must(`GET ${at('vendor/lib')}?ref=main`)).blob_id, foreign);
      assert.equal((await server.must(`GET ${at('bad-\u00e9')}?ref=main`)).size, 9);
    });

    it('answers HEAD with headers only', async () => {
      for (const end of ['', '/raw', '/blame']) {
        const answer = await server.api(`HEAD ${at('old.txt')}${end}?ref=main`, { token: null });
        assert.deepEqual([answer.status, answer.text], [200, '']);
        assert.equal(answer.headers.get('x-gitlab-file-path'), 'old.txt');
        assert.equal(answer.headers.get('x-service-file-name'), 'old.txt');
        assert.equal((await server.api(`HEAD ${at('nope')}${end}?ref=main`)).status, 404);
      }
      assert.equal((await server.api(`HEAD ${at('old.txt')}/raw`)).headers.get('content-length'), '17');
      assert.equal((await server.api(`HEAD ${at('old.txt')}`)).status, 400);
    });

    it('sends file names in headers as UTF-8 bytes', async () => {
      const path = 'with space/é "q" 100%.txt';
      for (const [method, end] of ['', '/raw', '/blame'].flatMap((end) => [
        ['GET', end] as const,
        ['HEAD', end] as const,
      ])) {
        const { headers, status } = await server.api(`${method} ${at(path)}${end}?ref=main`);
        // The UTF-8 bytes are received as Latin-1.
        const named = families.map((family) =>
          Buffer.from(headers.get(`${family}-file-path`) ?? '', 'latin1').toString(),
        );
        assert.deepEqual([status, ...named], [200, path, path], `${method} ${end}`);
      }
      const first = await server.api(`GET ${at(path)}?ref=main`);
      const etag = first.headers.get('etag') ?? '';
      const again = await server.api(`GET ${at(path)}?ref=main`, { headers: { 'if-none-match': etag } });
      assert.deepEqual([again.status, again.text], [304, '']);
    });

    it('finds files by branch, tag, commit and HEAD and echoes the ref', async () => {
      const commit = await source.git('rev-parse', 'v1.0^{commit}');
      for (const ref of [
        'v1.0',
        commit,
        commit.slice(0, 10),
        'refs/tags/v1.0',
        'tags/v1.0',
        'heads/main~1',
        'main~1',
      ]) {
        const file = await server.must(`GET ${at('old.txt')}?ref=${encodeURIComponent(ref)}`);
        assert.deepEqual([file.ref, file.commit_id], [ref, commit]);
      }
      assert.equal((await server.must(`GET ${at('old.txt')}?ref=HEAD`)).ref, 'HEAD');
      assert.equal((await server.must(`GET ${at('old.txt')}?ref=side%2Fbranch`)).size, 17);
      assert.equal((await bytesOf('old.txt')).bytes.toString(), 'one\n2\nthree\nfour\n');
      assert.equal((await bytesOf('/old.txt')).response.headers.get('x-gitlab-ref'), 'HEAD');
    });

    it('does not serve stale data after a ref update', async () => {
      const { path } = server.running.services.git.repository(hidden.id);
      const move = async (to: string) =>
        execFileSync('git', ['update-ref', 'refs/heads/moving', await source.git('rev-parse', `${to}^{commit}`)], {
          cwd: path,
        });
      const calls = [`${at('old.txt', hidden)}?ref=moving`, `/projects/${hidden.id}/repository/tree?ref=moving`];
      const read = (token: string) => Promise.all(calls.map((call) => server.api(`GET ${call}`, { token })));
      const told = async () => {
        const [first, again] = [await read(owner.token), await read(owner.token)];
        assert.deepEqual(
          again.map(({ body, headers }) => [body, headers.get('etag')]),
          first.map(({ body, headers }) => [body, headers.get('etag')]),
        );
        return [first[0]?.body.commit_id, first[1]?.body.length, first[1]?.headers.get('x-total')];
      };
      const entries = async (commit: string) => (await source.git('ls-tree', commit)).split('\n').length;
      for (const commit of ['main', 'v1.0', 'main', 'main~2']) {
        await move(commit);
        const count = await entries(commit);
        assert.deepEqual(await told(), [await source.git('rev-parse', `${commit}^{commit}`), count, String(count)]);
      }
      assert.deepEqual(
        (await read(outsider.token)).map(({ status }) => status),
        [404, 404],
      );
      assert.deepEqual(
        (await read(guest.token)).map(({ status }) => status),
        [403, 403],
      );
    });

    it('sends the same headers for first, repeated, compressed, conditional and HEAD requests', async () => {
      const varying = ['x-request-id', 'x-gitlab-meta', 'x-runtime', 'date', 'content-length', 'content-encoding'];
      const headersOf = async (call: string, headers: Record<string, string> = {}) => {
        const answer = await server.api(call, { headers: { 'accept-encoding': 'identity', ...headers } });
        for (const name of ['x-request-id', 'x-gitlab-meta', 'x-runtime', 'x-frame-options']) {
          assert.ok(answer.headers.get(name), `${call} ${name}`);
        }
        return [...answer.headers].filter(([name]) => !varying.includes(name)).sort();
      };
      const long = `${at('old.txt')}/blame?ref=main`;
      for (const call of [`${at('old.txt')}?ref=main`, long, `/projects/${project.id}/repository/tree?ref=main`]) {
        const first = await headersOf(`GET ${call}`);
        assert.deepEqual(await headersOf(`GET ${call}`), first);
        assert.deepEqual(await headersOf(`GET ${call}`, { 'accept-encoding': 'gzip' }), first);
        const etag = first.find(([name]) => name === 'etag')?.[1] ?? '';
        const unchanged = first.filter(([name]) => name !== 'content-type');
        assert.deepEqual(await headersOf(`GET ${call}`, { 'if-none-match': etag }), unchanged);
      }
    });

    it('resolves a commit ID to the commit even if a branch has that name', async () => {
      const id = await source.git('rev-parse', 'main~2');
      const { path } = server.running.services.git.repository(project.id);
      execFileSync('git', ['update-ref', `refs/heads/${id}`, await source.git('rev-parse', 'main')], { cwd: path });
      assert.equal((await server.must(`GET ${at('README.md')}?ref=${id}`)).commit_id, id);
    });

    it('never lets a browser execute a file', async () => {
      const { response } = await bytesOf('dir/page.html');
      assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(
        response.headers.get('content-disposition'),
        `inline; filename="page.html"; filename*=UTF-8''page.html`,
      );
      assert.equal(response.headers.get('cache-control'), 'max-age=0, private, must-revalidate, no-store, no-cache');
      assert.equal(response.headers.get('expires'), 'Fri, 01 Jan 1990 00:00:00 GMT');
      assert.match(
        (await bytesOf('dir/app.xhtml')).response.headers.get('content-disposition') ?? '',
        /filename="app";/,
      );
    });

    it('detects content types, also for HEAD', async () => {
      const expected = [
        ['README.md', 'text/plain; charset=utf-8', 'inline'],
        ['latin1.txt', 'text/plain; charset=iso-8859-1', 'inline'],
        ['dir/picture.dat', 'image/png', 'inline'],
        ['dir/vector.svg', 'text/plain; charset=utf-8', 'inline'],
        ['binary.bin', 'application/octet-stream', 'attachment'],
      ] as const;
      for (const [path, type, kind] of expected) {
        const { response } = await bytesOf(path);
        const head = await server.api(`HEAD ${at(path)}/raw?ref=main`);
        for (const { headers } of [response, head]) {
          assert.equal(headers.get('content-type'), type, path);
          assert.ok(headers.get('content-disposition')?.startsWith(`${kind}; `), path);
        }
      }
    });

    const refused: [string, string, number, object][] = [
      ['README.md', '', 400, { error: 'ref is missing, ref is empty' }],
      ['README.md', '?ref=', 400, { error: 'ref is empty' }],
      ['README.md', '?ref=nope', 404, { message: '404 Commit Not Found' }],
      ['README.md', '?ref=-x', 404, { message: '404 Commit Not Found' }],
      ['README.md', '?ref=main:README.md', 404, { message: '404 Commit Not Found' }],
      ['README.md', '?ref=@%7Bu%7D', 404, { message: '404 Commit Not Found' }],
      ['nope', '?ref=main', 404, { message: '404 File Not Found' }],
      ['dir', '?ref=main', 404, { message: '404 File Not Found' }],
      ['README.md/x', '?ref=main', 404, { message: '404 File Not Found' }],
      ['.git/config', '?ref=main', 404, { message: '404 File Not Found' }],
      ['a//b', '?ref=main', 404, { message: '404 File Not Found' }],
      ['x'.repeat(5000), '?ref=main', 404, { message: '404 File Not Found' }],
      ['../README.md', '?ref=main', 400, { error: 'file_path should be a valid file path' }],
      ['dir\\..\\x', '?ref=main', 400, { error: 'file_path should be a valid file path' }],
      ['/README.md', '?ref=main', 400, { error: 'file_path should be a valid file path' }],
    ];
    for (const [path, query, status, body] of refused) {
      it(`answers an error for ${path.slice(0, 20)} ${query}`, async () => {
        const answer = await server.api(`GET ${at(path)}${query}`);
        assert.deepEqual([answer.status, answer.body], [status, body]);
      });
    }

    it('is restricted by the project access', async () => {
      const path = at('README.md', hidden);
      const readToken = await addToken(server, owner.user, ['read_repository']);
      const statuses = async (call: string, token: string | null) => (await server.api(call, { token })).status;
      for (const end of ['?ref=main', '/raw', '/blame?ref=main']) {
        assert.equal(await statuses(`GET ${path}${end}`, owner.token), 200);
        assert.equal(await statuses(`GET ${path}${end}`, readToken), 200);
        assert.equal(await statuses(`GET ${path}${end}`, null), 404);
        assert.equal(await statuses(`GET ${path}${end}`, outsider.token), 404);
        const answer = await server.api(`GET ${path}${end}`, { token: guest.token });
        assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
      }
      const write = await server.api(`POST ${path}`, { token: readToken, json: {} });
      assert.deepEqual([write.status, write.body.error], [403, 'insufficient_scope']);
    });

    it('answers 404 in an empty repository', async () => {
      const empty = await addProject(server, owner, `empty-${engine}`);
      const answer = await server.api(`GET ${at('a', empty)}?ref=main`);
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Commit Not Found' }]);
      assert.equal((await server.api(`GET ${at('a', empty)}/raw`)).status, 404);
    });

    it('needs no more queries than finding the project', async () => {
      const count = (call: string) => server.queriesOf(() => server.must(call, { token: owner.token }));
      const gate = await count(`GET /projects/${project.id}/repository/blobs/${files[0]?.oid}`);
      assert.equal(await count(`GET ${at('README.md')}/raw`), gate);
      assert.equal(await count(`GET ${at('README.md')}?ref=main`), gate);
    });
  });
});
