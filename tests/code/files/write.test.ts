import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('writing files', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let reporter: Person;
    let project: Project;

    const at = (path: string, of = project) => `/projects/${of.id}/repository/files/${encodeURIComponent(path)}`;
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: server.running.services.git.repository(project.id).path }).toString();
    const tip = (branch = 'main') => git('rev-parse', `refs/heads/${branch}`).trim();
    const contentAt = (path: string, branch = 'main') => git('show', `${branch}:${path}`);
    const write = (method: 'POST' | 'PUT', path: string, fields: object, token = owner.token): Promise<Answer> =>
      server.api(`${method} ${at(path)}`, {
        token,
        json: { branch: 'main', commit_message: 'a message', content: 'text', ...fields },
      });
    const remove = (path: string, query = '', token: string | null = owner.token) =>
      server.api(`DELETE ${at(path)}?branch=main&commit_message=gone${query}`, { token });
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];

    before(async () => {
      const sizes = ['--max-commit-body', '1MiB', '--large-request', '600KiB', '--max-body', '800KiB'];
      server = await startTestServer(engine, [...sizes, '--large-request-rate', '3/30s']);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      reporter = await addPerson(server, 'reporter');
      project = await addProject(server, owner, 'written', 'public');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, reporter, Role.reporter);
    });

    it('initializes an empty repository and its default branch', async () => {
      const first = await write('POST', 'dir/first.txt', {
        content: 'one\n',
        commit_message: 'The first\n\nwith body',
      });
      assert.deepEqual([first.status, first.body], [201, { file_path: 'dir/first.txt', branch: 'main' }]);
      assert.equal(contentAt('dir/first.txt'), 'one\n');
      // The message is stored unchanged, without a trailing newline.
      assert.match(git('cat-file', 'commit', 'main'), /\n\nThe first\n\nwith body$/);
      assert.equal(git('rev-list', '--count', 'main').trim(), '1');
      assert.equal((await server.must(`GET /projects/${project.id}`)).default_branch, 'main');
    });

    it('uses the given author and the caller as committer', async () => {
      await write('POST', 'authored', { author_name: 'Ada', author_email: 'ada@example.com' });
      assert.equal(
        git('log', '-1', '--format=%an %ae %cn %ce').trim(),
        `Ada ada@example.com owner ${owner.user.email}`,
      );
      await write('PUT', 'authored', { content: 'x', author_name: 'Eve> <e@x\nparent 1' });
      assert.equal(git('log', '-1', '--format=%an|%ae').trim(), `Eve e@xparent 1|${owner.user.email}`);
    });

    it('updates and deletes with status 200', async () => {
      const updated = await write('PUT', 'dir/first.txt', { content: '' });
      assert.deepEqual([updated.status, updated.body], [200, { file_path: 'dir/first.txt', branch: 'main' }]);
      assert.equal(contentAt('dir/first.txt'), '');
      const removed = await remove('dir/first.txt');
      assert.deepEqual([removed.status, removed.text], [200, '']);
      assert.equal(git('ls-tree', 'main', 'dir').trim(), '');
      assert.equal(git('log', '-1', '--format=%B').trim(), 'gone');
    });

    it('accepts lenient base64 and plain text', async () => {
      const bytes = Buffer.from([0, 255, 1, 254, 10]);
      await write('POST', 'binary', {
        content: ` ${bytes.toString('base64').replace(/(.{3})/g, '$1\n-')} `,
        encoding: 'base64',
      });
      assert.deepEqual(
        execFileSync('git', ['show', 'main:binary'], { cwd: server.running.services.git.repository(project.id).path }),
        bytes,
      );
      await write('POST', 'text', { content: 'caf\u00e9 \u{1f600}\r\n' });
      assert.equal(contentAt('text'), 'caf\u00e9 \u{1f600}\r\n');
    });

    it('sets, keeps and clears the executable flag', async () => {
      const mode = (path: string) => git('ls-tree', 'main', path).slice(0, 6);
      await write('POST', 'run', { execute_filemode: true });
      assert.equal(mode('run'), '100755');
      await write('PUT', 'run', { content: 'other' });
      assert.equal(mode('run'), '100755');
      assert.equal((await write('PUT', 'run', { content: 'other', execute_filemode: false })).status, 200);
      assert.equal(mode('run'), '100644');
    });

    it('accepts forms and multipart fields', async () => {
      const form = 'branch=main&commit_message=by+form&content=a%2Bb&execute_filemode=true';
      assert.equal((await server.api(`POST ${at('form')}`, { token: owner.token, form })).status, 201);
      assert.equal(contentAt('form'), 'a+b');
      const parts = new FormData();
      for (const [name, value] of Object.entries({ branch: 'main', commit_message: 'm', content: 'parts' })) {
        parts.set(name, value);
      }
      assert.equal((await server.api(`POST ${at('parts')}`, { token: owner.token, body: parts })).status, 201);
      assert.equal(contentAt('parts'), 'parts');
      parts.set('content', new Blob(['file']), 'name');
      const file = await server.api(`POST ${at('parts2')}`, { token: owner.token, body: parts });
      assert.deepEqual(says(file), [400, '400 Bad request - Unsupported Content-Type: multipart/form-data']);
    });

    it('rejects malformed bodies', async () => {
      const send = (body: string, type?: string) =>
        server.api(`POST ${at('x')}`, { token: owner.token, body, headers: type ? { 'content-type': type } : {} });
      const broken = await send('{"branch": ', 'application/json');
      assert.deepEqual([broken.status, broken.body], [400, { message: 'Invalid json', error: 'Invalid json' }]);
      const other = await send('branch: main', 'application/yaml');
      assert.deepEqual(says(other), [400, '400 Bad request - Unsupported Content-Type: application/yaml']);
      const empty = await send('[]', 'application/json');
      assert.deepEqual(says(empty), [400, '400 Bad request - branch is required']);
    });

    it('accepts query parameters', async () => {
      const query = new URLSearchParams({ branch: 'main', commit_message: 'by address', content: 'a b' });
      const made = await server.api(`POST ${at('by-address')}?${query}`, { token: owner.token });
      assert.deepEqual([made.status, made.body], [201, { file_path: 'by-address', branch: 'main' }]);
      const none = await server.api(`POST ${at('by-address')}`, { token: owner.token });
      assert.deepEqual(says(none), [400, '400 Bad request - branch is required']);
    });

    it('spools long contents to disk and rejects bodies above the limit', async () => {
      const text = 'line\n'.repeat(30_000);
      assert.equal((await write('POST', 'long.txt', { content: text })).status, 201);
      assert.equal(contentAt('long.txt'), text);
      const bytes = randomBytes(150_000);
      assert.equal(
        (await write('POST', 'long.bin', { content: bytes.toString('base64'), encoding: 'base64' })).status,
        201,
      );
      const { path } = server.running.services.git.repository(project.id);
      assert.ok(execFileSync('git', ['show', 'main:long.bin'], { cwd: path }).equals(bytes));
      const huge = await write('POST', 'huge', { content: 'x'.repeat(1024 * 1024) });
      assert.equal(huge.status, 413);
      assert.match(
        huge.body.message,
        /^RequestBody: upload failed: the upload size \d+ is over maximum of 1048576 bytes: entity is too large$/,
      );
      assert.deepEqual(await readdir(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('rate-limits large requests and those of unknown length per user', async () => {
      const heavy = await addPerson(server, 'heavy');
      await addMember(server, project, heavy, Role.developer);
      const content = 'x'.repeat(700 * 1024);
      for (let n = 0; n < 3; n++) {
        assert.equal(
          (await write('POST', `heavy-${n}`, { content, branch: `h${n}`, start_branch: 'main' }, heavy.token)).status,
          201,
        );
      }
      const fourth = await write('POST', 'heavy-3', { content, branch: 'h3', start_branch: 'main' }, heavy.token);
      assert.deepEqual(
        [fourth.status, fourth.body.message.error],
        [429, 'This endpoint has been requested too many times. Try again later.'],
      );
      assert.equal(fourth.headers.get('retry-after'), '30');
      assert.equal((await write('POST', 'light', { branch: 'h4', start_branch: 'main' }, heavy.token)).status, 201);
    });

    it('counts compressed requests that turn out to be large', async () => {
      const squeezing = await addPerson(server, 'squeezing');
      await addMember(server, project, squeezing, Role.developer);
      const squeezed = (n: number, size: number) => {
        const fields = { branch: `s${n}`, start_branch: 'main', commit_message: 'x', content: 'x'.repeat(size) };
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
        const body = new Uint8Array(gzipSync(JSON.stringify(fields)));
        return server.api(`POST ${at(`squeezed-${n}`)}`, { token: squeezing.token, headers, body });
      };
      const statuses = [];
      for (const n of [0, 1, 2, 3]) statuses.push((await squeezed(n, 700 * 1024)).status);
      assert.deepEqual(statuses, [201, 201, 201, 429]);
      assert.equal((await squeezed(4, 10)).status, 201);
      assert.deepEqual(await readdir(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('does not count requests rejected for their size', async () => {
      const eager = await addPerson(server, 'eager');
      await addMember(server, project, eager, Role.developer);
      const content = randomBytes(600 * 1024).toString('hex');
      const send = (name: string, sending: Omit<Sending, 'token'>) =>
        server.api(`POST ${at(name)}`, { token: eager.token, ...sending });
      const fields = { branch: 'eager', start_branch: 'main', commit_message: 'x', content };
      const headers = { 'content-type': 'application/json' };
      const packed = new Uint8Array(gzipSync(JSON.stringify(fields)));
      const bomb = new Uint8Array(gzipSync(JSON.stringify({ ...fields, content: ' '.repeat(9_000_000) })));
      for (let n = 0; n < 4; n++) {
        assert.equal((await send('announced', { json: fields })).status, 413);
        const chunked = new Blob([JSON.stringify(fields)]).stream();
        assert.equal((await send('chunked', { headers, body: chunked })).status, 413);
        for (const body of [packed, bomb]) {
          assert.equal(
            (await send('packed', { headers: { ...headers, 'content-encoding': 'gzip' }, body })).status,
            413,
          );
        }
      }
      const large = { ...fields, content: 'x'.repeat(700 * 1024) };
      assert.equal((await send('fitting', { json: large })).status, 201);
    });

    it('limits users without push access to the normal body size', async () => {
      const content = 'x'.repeat(900 * 1024);
      assert.equal((await write('POST', 'big', { content }, reporter.token)).status, 413);
      assert.deepEqual(says(await write('POST', 'small', {}, reporter.token))[0], 403);
    });

    it('rejects deeply nested parameters', async () => {
      const headers = { 'content-type': 'application/json' };
      const body = `{"branch":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
      const answer = await server.api(`POST ${at('deep')}`, { token: owner.token, headers, body });
      assert.deepEqual(says(answer), [400, 'Parameters nested too deeply']);
    });

    it('creates a branch from another one', async () => {
      const before = tip();
      assert.equal((await write('POST', 'on-branch', { branch: 'feature', start_branch: 'main' })).status, 201);
      assert.equal(git('rev-parse', 'feature^').trim(), before);
      assert.equal(tip(), before);
      const taken = await write('POST', 'again', { branch: 'feature', start_branch: 'main' });
      assert.deepEqual(says(taken), [
        400,
        "A branch called 'feature' already exists. Switch to that branch in order to make changes",
      ]);
      const invalid = await write('POST', 'again', { branch: 'a..b', start_branch: 'main' });
      assert.deepEqual(says(invalid), [
        400,
        "Something went wrong when we tried to create 'a..b' for you: Branch name is invalid",
      ]);
      const below = await write('POST', 'again', { branch: 'feature/below', start_branch: 'main' });
      assert.equal(below.status, 400);
      const sha = await write('POST', 'again', { branch: before, start_branch: 'main' });
      assert.deepEqual(says(sha), [400, 'You cannot create a branch with a SHA-1 or SHA-256 branch name.']);
      const nowhere = 'You can only create or edit files when you are on a branch';
      assert.deepEqual(says(await write('POST', 'x', { branch: 'nope' })), [400, nowhere]);
      assert.deepEqual(says(await write('POST', 'x', { branch: 'new', start_branch: 'nope' })), [400, nowhere]);
      assert.deepEqual(says(await remove('text', '&start_branch=nope')), [400, nowhere]);
    });

    it("reports path errors with GitLab's messages", async () => {
      const texts: [Answer, string][] = [
        [await write('POST', 'text', {}), 'A file with this name already exists'],
        [await write('PUT', 'nope', {}), "A file with this name doesn't exist"],
        [await remove('nope'), "A file with this name doesn't exist"],
        [await write('POST', 'text/below', {}), 'A directory with this name already exists'],
        [await write('PUT', 'text/below', {}), "A file with this name doesn't exist"],
        [await write('POST', '.git/config', {}), "invalid path: '.git/config'"],
        [await write('POST', 'a/.gIt/x', {}), "invalid path: 'a/.gIt/x'"],
        [await write('POST', 'a//b', {}), "invalid path: 'a//b'"],
        [await write('POST', '../x', {}), 'file_path should be a valid file path'],
        [await write('PUT', '/x', {}), 'file_path should be a valid file path'],
        [await remove('a/../b'), 'file_path should be a valid file path'],
        [
          await write('PUT', 'text', { content: 'caf\u00e9 \u{1f600}\r\n' }),
          'A file with this content is already there',
        ],
      ];
      for (const [answer, text] of texts) assert.deepEqual(says(answer), [400, text]);
      assert.equal((await write('POST', 'folder/x', {})).status, 201);
      assert.deepEqual(says(await write('POST', 'folder', {})), [400, 'A directory with this name already exists']);
      assert.deepEqual(says(await remove('folder')), [400, "A file with this name doesn't exist"]);
    });

    it('detects concurrent changes with last_commit_id', async () => {
      await write('POST', 'shared', { content: '1' });
      const seen = (await server.must(`GET ${at('shared')}?ref=main`)).last_commit_id;
      await write('POST', 'unrelated', {});
      assert.equal((await write('PUT', 'shared', { content: '2', last_commit_id: seen })).status, 200);
      assert.deepEqual(says(await write('PUT', 'shared', { content: '3', last_commit_id: seen })), [
        400,
        'You are attempting to update a file that has changed since you started editing it.',
      ]);
      assert.deepEqual(says(await remove('shared', `&last_commit_id=${seen}`)), [
        400,
        'You are attempting to delete a file that has been previously updated.',
      ]);
      const unknown = 'f'.repeat(40);
      assert.equal((await write('PUT', 'shared', { content: '4', last_commit_id: unknown })).status, 200);
      assert.equal((await remove('shared', `&last_commit_id=${tip()}`)).status, 200);
    });

    it('requires push access to the branch', async () => {
      const no = '403 Forbidden - You are not allowed to push into this branch';
      const nobody = { json: { branch: 'main', commit_message: 'm', content: 'x' }, token: null };
      const anonymous = await server.api(`POST ${at('x')}`, nobody);
      assert.deepEqual(says(anonymous), [401, '401 Unauthorized']);
      assert.deepEqual(says(await write('POST', 'x', {}, reporter.token)), [403, no]);
      // The default branch is protected and only accepts pushes from maintainers.
      assert.deepEqual(says(await write('POST', 'x', {}, developer.token)), [403, no]);
      assert.deepEqual(says(await remove('text', '', reporter.token)), [403, '403 Forbidden']);
      assert.deepEqual(says(await remove('text', '', null)), [403, '403 Forbidden']);
      assert.deepEqual(says(await remove('text', '', developer.token)), [
        400,
        'You are not allowed to push into this branch',
      ]);
      const mine = { branch: 'mine', start_branch: 'main' };
      assert.equal((await write('POST', 'x', mine, developer.token)).status, 201);
      const bad = await write('POST', 'x', { branch: '' }, reporter.token);
      assert.deepEqual(says(bad), [400, '400 Bad request - branch is required']);
      const reads = await addToken(server, owner.user, ['read_api', 'read_repository', 'write_repository']);
      assert.equal((await write('POST', 'x', {}, reads)).status, 403);
    });

    it('requires branch and message for a deletion', async () => {
      const answer = await server.api(`DELETE ${at('text')}`, { token: owner.token });
      assert.deepEqual(says(answer), [
        400,
        'branch is missing, branch is empty, commit_message is missing, commit_message is empty',
      ]);
    });

    it('keeps all concurrent writes', async () => {
      const before = Number(git('rev-list', '--count', 'main'));
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => write('POST', `race/${n}`, { content: `${n}` })),
      );
      assert.deepEqual(new Set(answers.map((one) => one.status)), new Set([201]));
      assert.equal(Number(git('rev-list', '--count', 'main')), before + 12);
      assert.equal(git('ls-tree', '--name-only', 'main', 'race/').trim().split('\n').length, 12);
      git('fsck', '--strict', '--no-dangling');
    });

    it('stores files in LFS according to .gitattributes', async () => {
      await write('POST', '.gitattributes', { content: '*.big filter=lfs diff=lfs merge=lfs -text\n' });
      assert.equal((await write('POST', 'data.big', { content: 'large content' })).status, 201);
      const pointer = contentAt('data.big');
      assert.match(pointer, /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:[0-9a-f]{64}\nsize 13\n$/);
      const raw = await server.api(`GET ${at('data.big')}/raw`);
      assert.equal(raw.text, pointer);
      const large = await server.api(`GET ${at('data.big')}/raw?lfs=true`);
      assert.deepEqual([large.status, large.text], [200, 'large content']);
      assert.equal(large.headers.get('content-type'), 'application/octet-stream');
      assert.match(large.headers.get('content-disposition') ?? '', /^attachment; filename="data\.big"/);
      assert.equal(large.headers.get('x-gitlab-blob-id'), null);
      assert.equal((await server.api(`GET ${at('text')}/raw?lfs=true`)).status, 200);
      const update = 'y'.repeat(100_000);
      assert.equal((await write('PUT', 'data.big', { content: update })).status, 200);
      assert.equal((await server.api(`GET ${at('data.big')}/raw?lfs=true`)).text, update);
      assert.equal((await server.api(`HEAD ${at('data.big')}/raw?lfs=true`)).headers.get('content-length'), '100000');
    });

    it('enforces push rules', async () => {
      await server.must(`POST /projects/${project.id}/push_rule`, { json: { commit_message_regex: '^[A-Z]' } });
      const refused = await write('POST', 'ruled', { commit_message: 'small letters' });
      assert.deepEqual(says(refused), [400, "Commit message does not follow the pattern '^[A-Z]'"]);
      assert.equal((await write('POST', 'ruled', { commit_message: 'Large letters' })).status, 201);
      await server.must(`DELETE /projects/${project.id}/push_rule`);
    });

    it('creates one event per write', async () => {
      await write('POST', 'told', { commit_message: 'An event' });
      const [event] = await server.must(`GET /projects/${project.id}/events?per_page=1`);
      assert.equal(event.action_name, 'pushed to');
      assert.equal(event.push_data.commit_to, tip());
      assert.equal(event.push_data.commit_title, 'An event');
    });
  });
});
