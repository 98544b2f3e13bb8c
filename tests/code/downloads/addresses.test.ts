import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { routeDownloadUrl } from '../../../src/code/downloads/addresses.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('download URLs', () => {
  const table: [string, string][] = [
    ['/a/b/-/raw/main/dir/x.txt?inline=false', '/-/page/raw/a%2Fb/main/dir/x.txt?inline=false'],
    ['/a/b/c/-/raw/x%20y/%25', '/-/page/raw/a%2Fb%2Fc/x%20y/%25'],
    ['/a/b/-/raw/main/-/raw/x', '/-/page/raw/a%2Fb/main/-/raw/x'],
    ['/a/b/-/archive/v1/b-v1.tar.gz?path=x', '/-/page/archive/a%2Fb/v1/b-v1.tar.gz?path=x'],
    ['/a/b/-/releases/v%2F1/evidences/7.json', '/-/page/evidence/a%2Fb/v%2F1/7'],
    ['/a/b/-/releases/v1/downloads/bin/x?a=1', '/api/v4/projects/a%2Fb/releases/v1/downloads/bin/x?a=1'],
    ['/a/b/-/releases/permalink/latest/downloads/x', '/api/v4/projects/a%2Fb/releases/permalink/latest/downloads/x'],
    ['/a/b/-/wikis/uploads/0a/x%20y.zip', '/-/page/wiki/a%2Fb/uploads/0a/x%20y.zip'],
    ['/a/b/-/wikis/img/plan.PNG?x=1', '/-/page/wiki/a%2Fb/img/plan.PNG?x=1'],
    ['/groups/a/-/wikis/plan.png', '/-/page/group-wiki/a/plan.png'],
    ['/groups/a/b/-/wikis/uploads/0a/x.zip?x=1', '/-/page/group-wiki/a%2Fb/uploads/0a/x.zip?x=1'],
    ['/-/snippets/5/raw', '/api/v4/snippets/5/raw'],
    ['/-/snippets/5/raw/main/a/b%20c.txt?inline=false', '/api/v4/snippets/5/files/main/a%2Fb%20c.txt/raw?inline=false'],
    ['/a/b/-/snippets/5/raw/main/x', '/api/v4/projects/a%2Fb/snippets/5/files/main/x/raw'],
  ];
  for (const [given, routed] of table) it(given, () => assert.equal(routeDownloadUrl(given), routed));

  for (const other of [
    '/a/b/-/releases/v1',
    '/a/b/-/wikis/v1.2',
    '/a/b/-/wikis/pages?x=a.png',
    '/-/snippets/5',
    '/-/snippets/x/raw',
    '/a/b/-/snippets/5/raw/main',
    '/a/b/-/releases/v1/evidences/x.json',
    '/a/b/-/raw/',
    '/a/b/-/raw/?x=1',
    '/a/-/archive/v1/b-v1.zip',
    '/a b/c/-/archive/v1/b-v1.zip',
    '/-/health',
    '/api/v4/projects/-/archive/x.zip',
    '/api/v4/groups/x/-/search',
  ]) {
    it(`does not rewrite ${other}`, () => assert.equal(routeDownloadUrl(other), other));
  }
});

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let open: Project;
  let hidden: Project;
  let source: GitClient;

  const at = (project: Project, rest: string) => `${server.url}/${owner.user.username}/${project.path}/-/${rest}`;
  const get = (url: string, token?: string, init: RequestInit = {}) =>
    fetch(url, { redirect: 'manual', ...init, headers: token === undefined ? {} : { 'private-token': token } });
  const text = async (url: string, token?: string) => {
    const answer = await get(url, token);
    return [answer.status, await answer.text()];
  };

  before(async () => {
    server = await startTestServer(engine, ['--archive-rate', '0']);
    owner = await addPerson(server, 'owner');
    source = new GitClient();
    await source.init();
    await source.commit({
      'dir/x.txt': 'on main\n',
      'page.html': '<script>alert(1)</script>\n',
      '100% é.txt': 'odd\n',
    });
    await source.git('branch', 'feature');
    await source.git('checkout', '-q', '-b', 'release/1.x');
    await source.commit({ 'dir/x.txt': 'on release\n', 'feature/deep/x.txt': 'a folder\n' });
    await source.git('tag', 'feature/deep');
    await source.git('checkout', '-q', '-b', 'both', 'main');
    await source.commit({ 'dir/x.txt': 'the branch\n' });
    await source.git('tag', 'both', 'release/1.x');
    open = await addFilledProject(server, owner, 'open', source, 'public');
    hidden = await addFilledProject(server, owner, 'hidden', source);
  });

  describe('raw file URL', () => {
    it('resolves branches, tags and commits with slashes to the longest existing ref', async () => {
      assert.deepEqual(await text(at(open, 'raw/main/dir/x.txt')), [200, 'on main\n']);
      assert.deepEqual(await text(at(open, 'raw/HEAD/dir/x.txt')), [200, 'on main\n']);
      assert.deepEqual(await text(at(open, 'raw/release/1.x/dir/x.txt')), [200, 'on release\n']);
      assert.deepEqual(await text(at(open, 'raw/release%2F1.x/dir%2Fx.txt')), [200, 'on release\n']);
      assert.deepEqual(await text(at(open, 'raw/feature/deep/dir/x.txt')), [200, 'on release\n']);
      assert.deepEqual(await text(at(open, 'raw/feature/dir/x.txt')), [200, 'on main\n']);
      assert.deepEqual(await text(at(open, 'raw/main/100%25%20%C3%A9.txt')), [200, 'odd\n']);
      const sha = await source.git('rev-parse', 'release/1.x');
      for (const id of [sha, sha.slice(0, 8)]) {
        assert.deepEqual(await text(at(open, `raw/${id}/feature/deep/x.txt`)), [200, 'a folder\n']);
      }
      assert.deepEqual(await text(at(open, 'raw/both/dir/x.txt?ref_type=heads')), [200, 'the branch\n']);
      assert.deepEqual(await text(at(open, 'raw/both/dir/x.txt?ref_type=tags')), [200, 'on release\n']);
      assert.equal((await get(at(open, 'raw/feature/deep/dir/x.txt?ref_type=heads'))).status, 404);
    });

    it('is served as plain text to browsers', async () => {
      const page = await get(at(open, 'raw/main/page.html'));
      assert.equal(page.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(page.headers.get('content-security-policy'), "default-src 'none'");
      assert.match(page.headers.get('content-disposition') ?? '', /^inline; filename="page.html"/);
      const saved = await get(at(open, 'raw/main/page.html?inline=false'));
      assert.match(saved.headers.get('content-disposition') ?? '', /^attachment; filename="page.html"/);
      const head = await get(at(open, 'raw/main/page.html'), undefined, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '26', '']);
    });

    it('accepts all credentials of users who can read the code', async () => {
      const url = at(hidden, 'raw/main/dir/x.txt');
      const stranger = await addPerson(server, 'stranger');
      const guest = await addPerson(server, 'guest');
      await addMember(server, hidden, guest, Role.guest);
      assert.equal((await get(url)).status, 404);
      assert.equal((await get(url, stranger.token)).status, 404);
      assert.equal((await get(url, guest.token)).status, 403);
      assert.equal((await get(url, 'wrong')).status, 401);
      assert.deepEqual(await text(url, owner.token), [200, 'on main\n']);
      assert.deepEqual(await text(`${url}?private_token=${owner.token}`), [200, 'on main\n']);
      const bearer = await fetch(url, { headers: { authorization: `Bearer ${owner.token}` } });
      assert.equal(await bearer.text(), 'on main\n');
      assert.equal((await get(url, await addToken(server, owner.user, ['read_repository']))).status, 200);
      assert.equal((await get(url, await addToken(server, owner.user, ['read_user']))).status, 403);
    });

    it('serves the LFS object of a pointer', async () => {
      const project = await addFilledProject(server, owner, 'large', source, 'public');
      for (const [path, content] of [
        ['.gitattributes', '*.bin filter=lfs\n'],
        ['a.bin', 'large indeed'],
      ]) {
        await server.must(`POST /projects/${project.id}/repository/files/${path}`, {
          json: { branch: 'main', commit_message: 'add', content },
          token: owner.token,
        });
      }
      const pointer = await server.api(`GET /projects/${project.id}/repository/files/a.bin/raw?ref=main`);
      assert.match(pointer.text, /^version /);
      const answer = await get(at(project, 'raw/main/a.bin'));
      assert.deepEqual([answer.status, await answer.text()], [200, 'large indeed']);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
    });

    it('answers 404 for missing files and 400 for invalid paths', async () => {
      for (const rest of ['raw/main/none', 'raw/main/dir', 'raw/none/x', 'raw/main', `raw/${'a'.repeat(40)}/x`]) {
        assert.equal((await get(at(open, rest))).status, 404, rest);
      }
      assert.equal((await get(`${server.url}/nobody/nothing/-/raw/main/x`)).status, 404);
      assert.equal((await get(at(open, 'raw/main/a%2F..%2Fdir%2Fx.txt'))).status, 400);
      assert.equal((await get(at(open, 'raw/main/%00'))).status, 400);
      assert.equal((await get(at(open, 'raw/main/%E0%A4%A'))).status, 400);
      assert.equal((await get(at(open, `raw/main/${'d/'.repeat(3000)}x`))).status, 404);
      const empty = await addProject(server, owner, 'empty', 'public');
      assert.equal((await get(at(empty, 'raw/main/x'))).status, 404);
    });

    it('redirects after a project move', async () => {
      const project = await addFilledProject(server, owner, 'before', source, 'public');
      await server.must(`PUT /projects/${project.id}`, { json: { path: 'after' }, token: owner.token });
      const answer = await get(at(project, 'raw/main/dir/x.txt?inline=false'));
      const target = at({ ...project, path: 'after' }, 'raw/main/dir/x.txt?inline=false');
      assert.deepEqual([answer.status, answer.headers.get('location')], [301, target]);
      assert.deepEqual(await text(target), [200, 'on main\n']);
    });
  });

  it('serves archives with and without a file name', async () => {
    const list = async (rest: string) => {
      const answer = await get(at(open, rest));
      assert.equal(answer.status, 200, rest);
      const input = Buffer.from(await answer.arrayBuffer());
      const [top] = execFileSync('tar', ['-tzf', '-'], { input, encoding: 'utf8' }).split('\n');
      return [answer.headers.get('content-disposition')?.split(';')[1]?.trim(), top];
    };
    assert.deepEqual(await list('archive/main/open-main.tar.gz'), ['filename="open-main.tar.gz"', 'open-main/']);
    const sha = await source.git('rev-parse', 'release/1.x');
    const long = `open-release-1.x-${sha}`;
    assert.deepEqual(await list('archive/release/1.x/other.tar.gz'), [`filename="${long}.tar.gz"`, `${long}/`]);
    assert.deepEqual(await list('archive/release/1.x.tar.gz'), [`filename="${long}.tar.gz"`, `${long}/`]);
    assert.equal((await list('archive/main/open-main.tar.gz?path=dir')).at(0), 'filename="open-main-dir.tar.gz"');
    assert.equal((await get(at(open, 'archive/main/open-main.rar'))).status, 404);
    assert.equal((await get(at(open, 'archive/none/open-none.zip'))).status, 404);
    assert.equal((await get(at(hidden, 'archive/main/hidden-main.zip'))).status, 404);
  });

  it('serves release assets and evidence to authorized users', async () => {
    const { full_path } = await server.must(`POST /projects/${hidden.id}/uploads`, { body: formOf('hello') });
    const link = { name: 'file', url: `${server.url}${full_path}`, direct_asset_path: '/bin/file' };
    const release = await server.must(`POST /projects/${hidden.id}/releases`, {
      json: { tag_name: 'v/1', ref: 'main', description: 'Ours', assets: { links: [link] } },
    });
    const asset = await fetch(release.assets.links[0].direct_asset_url, { headers: { 'private-token': owner.token } });
    assert.equal(await asset.text(), 'hello');
    for (const { url, format } of release.assets.sources) {
      const answer = await get(url, owner.token);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`filename="hidden-v-1\\.${format}"`));
      await answer.arrayBuffer();
      assert.equal((await get(url)).status, 404);
    }
    const [evidence] = release.evidences;
    const answer = await get(evidence.filepath, owner.token);
    const record = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(createHash('sha256').update(record).digest('hex'), evidence.sha);
    const { tag_name, description, project } = JSON.parse(record).release;
    assert.deepEqual([tag_name, description, project.id], ['v/1', 'Ours', hidden.id]);
    assert.equal((await get(evidence.filepath)).status, 404);
    assert.equal((await get(evidence.filepath.replace(/\d+\.json/, '987654.json'), owner.token)).status, 404);
    assert.equal((await get(evidence.filepath.replace('v%2F1', 'none'), owner.token)).status, 404);
  });
});

function formOf(text: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([text]), 'file.txt');
  return form;
}
