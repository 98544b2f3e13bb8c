import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { problemOf } from '../../src/web/imports/progress.ts';
import { type HostaWorld, token as hostaToken, startHosta } from '../imports/hosta/world.ts';
import { secret as hostbSecret, startHostb } from '../imports/hostb/world.ts';
import { secret as serverSecret, startHostbServer } from '../imports/hostb-server/world.ts';
import { Browser, rootPassword, type Seen, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { GitClient } from '../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../support/git-http-backend.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { type HostReply, linkedPage } from '../support/json-host.ts';
import { OpenPage } from '../support/open-page.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const password = 'p@ss:word/9';

/** Sends the beginning of a large file and disconnects. */
async function breakOff(url: string, cookie: string, proof: string): Promise<void> {
  const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 50_000_000 };
  const sending = request(`${url}/import/gitlab_project`, { method: 'POST', headers });
  sending.on('error', () => {});
  const part = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"`;
  sending.write(`${part('authenticity_token')}\r\n\r\n${proof}\r\n${part('file')}; filename="x"\r\n\r\n`);
  await new Promise((resolve) => sending.write(Buffer.alloc(1_000_000), resolve));
  sending.destroy();
}

describe('git fetch errors', () => {
  const cases = [
    ["fatal: could not read Username for 'https://host': terminal prompts disabled", /does not exist, or requires/],
    ["remote: not found\nfatal: repository 'https://host/x/' not found", /There is no repository at that address/],
    ["fatal: unable to access 'https://nowhere/': Could not resolve host: nowhere", /could not be resolved/],
    ['fatal: Connection refused', /does not respond/],
    ['Something <i>else</i>', /role="alert">Something &lt;i&gt;else&lt;\/i&gt;<\/p>$/],
  ] as const;
  for (const [error, expected] of cases) {
    it(`are explained: ${error}`, () => assert.match(problemOf(error).text, expected));
  }
});

forEachEngine((engine) => {
  describe('import pages', () => {
    let server: TestServer;
    let root: Browser;
    let other: Browser;
    let world: HostaWorld;
    let bare: BareRepository;
    let groupId: number;

    before(async () => {
      [world, bare] = await Promise.all([startHosta({ plainIssues: 0 }), startBareRepository('mirror', password)]);
      const client = new GitClient();
      await client.init();
      await client.commit({ 'README.md': 'from elsewhere\n' }, 'first');
      bare.git('fetch', '-q', client.folder, 'main:refs/heads/main');
      const hostb = await startHostb();
      hostb.intercept = ({ path, query }) =>
        path === '/repositories/ws' && !query.get('q')?.includes('nothing')
          ? { json: { values: [{ full_name: 'ws/slug', is_private: true, description: hostile.element }, {}] } }
          : path === '/repositories/ws'
            ? { json: { values: [] } }
            : undefined;
      server = await startTestServer(engine, [
        ...['--allow-local-egress', '--hosta-url', world.url, '--hostb-url', hostb.url],
      ]);
      groupId = (await server.must('POST /groups', { json: { name: 'Team', path: 'team' } })).id;
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const { username } = await addUser(server);
      other = new Browser(server);
      await other.signIn(username, 'long enough 4 you');
    });

    const openPage = (path: string, who = root) => who.page(path);
    const settled = async (path: string) => {
      const status = async () => (await server.must(`GET /projects/${encodeURIComponent(path)}/import`)).import_status;
      await until(async () => !['scheduled', 'started'].includes(await status()));
      return status();
    };
    const placeOf = ({ status, text, headers }: Seen) => {
      assert.equal(status, 303, text);
      return headers.get('location') ?? '';
    };

    it('offer the enabled import sources', async () => {
      const ways = ['git', 'gitlab_project', 'github', 'bitbucket', 'bitbucket_server'];
      const page = await openPage('/projects/new');
      for (const way of ways) assert.ok(page.includes(`href="/import/${way}/new"`), way);
      assert.ok(!page.includes('/import/bulk_imports/new'));
      await server.must('PUT /application/settings', { json: { bulk_import_enabled: true, import_sources: ['git'] } });
      const fewer = await openPage('/projects/new');
      assert.ok(fewer.includes('/import/bulk_imports/new') && fewer.includes('/import/git/new'));
      assert.ok(!fewer.includes('/import/github/new'));
      const refused = await root.fill('/import/github/new', '/import/github/status', { personal_access_token: 'x' });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /github import source is disabled/);
      await server.must('PUT /application/settings', { json: { import_sources: ways } });
      for (const way of ways) assert.equal((await new Browser(server).open(`/import/${way}/new`)).status, 303, way);
    });

    it('import a repository by URL, and repeat a failed import', async () => {
      const url = bare.url.replace(/\/\/[^@]*@/, '//');
      const fields = { import_url: url, username: 'mirror', name: 'copy', namespace_id: String(groupId) };
      const created = await root.fill('/import/git/new', '/import/git', { ...fields, password: 'wrong' });
      assert.equal(placeOf(created), '/team/copy');
      assert.equal(await settled('team/copy'), 'failed');
      const failed = await openPage('/team/copy');
      assert.match(
        failed,
        /role="alert">[^<]*requires a username[^<]*<span[^>]*>[^<]*(Authentication|could not read|401)/i,
      );
      assert.ok(!failed.includes('wrong') && failed.includes(`value="${url}"`));
      const bad = await root.fill('/team/copy', '/team/copy/-/import/retry', { import_url: 'file:///etc' });
      assert.equal(bad.status, 422);
      assert.match(bad.text, /is blocked/);
      const again = { import_url: url, username: 'mirror', password };
      assert.equal(placeOf(await root.fill('/team/copy', '/team/copy/-/import/retry', again)), '/team/copy/-/import');
      assert.equal(await settled('team/copy'), 'finished');
      assert.match(await openPage('/team/copy'), /from elsewhere/);
      assert.match(await openPage('/team/copy/-/import'), /finished/);
      const late = await root.fill('/team/copy', '/team/copy/-/import/retry', again);
      assert.equal(late.status, 422);
      assert.match(late.text, /Only an import that has failed/);
      assert.equal((await other.open('/team/copy/-/import')).status, 404);
      const file = await root.fill('/import/git/new', '/import/git', { ...fields, import_url: 'file:///etc' });
      assert.equal(file.status, 422);
    });

    it('set up a pull mirror', async () => {
      const url = bare.url.replace(/\/\/[^@]*@/, '//');
      const fields = { import_url: url, username: 'mirror', password, name: 'followed', mirror: 'true' };
      await root.fill('/import/git/new', '/import/git', { ...fields, namespace_id: String(groupId) });
      await settled('team/followed');
      const { mirror } = await server.must('GET /projects/team%2Ffollowed');
      assert.equal(mirror, true);
    });

    it('import a project file of any size, and reject forged requests', async () => {
      await server.must('POST /projects/team%2Fcopy/export');
      const ready = async () => (await server.must('GET /projects/team%2Fcopy/export')).export_status === 'finished';
      await until(ready);
      const response = await fetch(`${server.url}/api/v4/projects/team%2Fcopy/export/download`, {
        headers: { cookie: root.cookie ?? '' },
      });
      const bytes = await response.bytes();
      const page = await openPage('/import/gitlab_project/new');
      const fields = { path: 'unpacked', name: 'Unpacked', namespace: 'team' };
      const send = (who: Browser, proof: string | undefined, file: Uint8Array, more = fields) =>
        who.upload('/import/gitlab_project', { ...(proof && { authenticity_token: proof }), ...more }, file);
      assert.equal(placeOf(await send(root, tokenIn(page), bytes)), '/team/unpacked');
      assert.equal(await settled('team/unpacked'), 'finished');
      assert.match(await openPage('/team/unpacked'), /from elsewhere/);
      const repeated = await send(root, tokenIn(page), bytes);
      assert.equal(repeated.status, 422);
      assert.match(repeated.text, /has already been taken/);
      assert.equal((await send(root, 'forged', bytes)).status, 422);
      assert.equal((await send(root, undefined, bytes)).status, 422);
      assert.ok([303, 401].includes((await send(new Browser(server), tokenIn(page), bytes)).status));
      const outsiders = tokenIn(await openPage('/import/gitlab_project/new', other));
      const hidden = await send(other, outsiders, bytes, { ...fields, path: 'theirs' });
      assert.equal(hidden.status, 422, hidden.text);
      const spool = join(server.running.services.config.data, 'tmp', 'uploads');
      await breakOff(server.url, root.cookie ?? '', tokenIn(page));
      await until(async () => (await readdir(spool)).length === 0);
      // Twice the size limit of other forms.
      const large = await send(root, tokenIn(page), new Uint8Array(20_000_000), {
        ...fields,
        path: 'zeros',
        name: 'zeros',
      });
      assert.equal(placeOf(large), '/team/zeros');
      assert.equal(await settled('team/zeros'), 'failed');
      assert.match(await openPage('/team/zeros'), /start another import/);
    });

    it('list and filter repositories on another host', async () => {
      const named = (id: number, full_name: string) => ({ id, full_name, private: id % 2 === 0, description: null });
      const there = [
        { ...named(77, 'o/r'), description: hostile.element },
        ...Array.from({ length: 250 }, (_, at) => named(1000 + at, `o/plain-${at}`)),
        named(9, hostile.element),
      ];
      world.intercept = (call): HostReply | undefined => {
        if (call.headers.authorization !== `Bearer ${hostaToken}`) return { status: 401, json: { message: 'Bad' } };
        if (call.path === '/gists') return { json: [] };
        return call.path === '/user/repos' ? linkedPage(there, call, world.url) : undefined;
      };
      const list = async (more: Record<string, string>) => {
        const fields = { personal_access_token: hostaToken, ...more };
        const page = await root.fill('/import/github/new', '/import/github/status', fields);
        assert.equal(page.status, 200, page.text);
        assertHarmless(page.text, 'repositories');
        return [...page.text.matchAll(/name="repository" value="(\d+) /g)].map(([, id]) => Number(id));
      };
      assert.equal((await list({})).length, 100);
      assert.equal((await list({ page: '3' })).length, 52);
      assert.deepEqual(await list({ search: 'PLAIN-249' }), [1249]);
      assert.deepEqual(await list({ search: 'o/r' }), [77]);
      assert.deepEqual(await list({ search: 'there is none' }), []);
      const wrong = await root.fill('/import/github/new', '/import/github/status', { personal_access_token: 'guess' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /does not have read access/);
    });

    it('import selected repositories, and show errors and progress', async () => {
      const fields = { personal_access_token: hostaToken, target_namespace: 'team' };
      const send = (repositories: readonly string[]) =>
        root.fill('/import/github/new', '/import/github', {
          ...fields,
          ...(repositories[0] !== undefined && { repository: repositories[0] }),
        });
      const none = await send([]);
      assert.equal(none.status, 422);
      assert.match(none.text, /Select what to import/);
      const place = placeOf(await send(['77 o/r']));
      const [, id = ''] = /^\/import\/status\?id=(\d+)$/.exec(place) ?? [];
      const live = await OpenPage.open(server, place, root.cookie);
      await live.heard(/finished/);
      live.close();
      assert.match(await openPage(place), /finished/);
      assert.match(await openPage(`${place}&id=999999&id=x`), /Team \/ /);
      assert.match(await openPage(place, other), /No import is named here/);
      const { path_with_namespace } = await server.must(`GET /projects/${id}`);
      assert.match(await openPage(`/${path_with_namespace}/-/import`), /<th scope="row">issue<\/th>/);
      const gists = await root.fill('/import/github/new', '/import/github/gists', fields);
      assert.equal(gists.status, 200, gists.text);
      assert.match(gists.text, /Your gists are being imported/);
      const missing = await send(['4711 o/gone']);
      assert.equal(missing.status, 422);
      assert.match(missing.text, /o\/gone: Import failed because of a GitHub error/);
      assert.ok(!missing.text.includes('o/gone: </p>'));
    });

    it('list repositories of both Bitbucket hosts', async () => {
      const hostb = { bitbucket_email: 'pat@example.com', bitbucket_api_token: hostbSecret, workspace: 'ws' };
      const ask = (more: object = {}) =>
        root.fill('/import/bitbucket/new', '/import/bitbucket/status', { ...hostb, ...more });
      const listed = await ask();
      assert.match(listed.text, /value="ws\/slug ws\/slug"/);
      assertHarmless(listed.text, 'workspace');
      assert.match((await ask({ search: 'nothing"' })).text, /No matching repositories/);
      assert.equal((await ask({ workspace: 'elsewhere' })).status, 422);
      const begun = await root.fill('/import/bitbucket/new', '/import/bitbucket', {
        ...hostb,
        target_namespace: 'team',
        repository: 'ws/slug ws/slug',
      });
      assert.match(placeOf(begun), /^\/import\/status/);
      const there = await startHostbServer();
      there.intercept = ({ path, query }) =>
        path === '/rest/api/1.0/repos'
          ? {
              json:
                query.get('start') === '0'
                  ? {
                      values: [{ slug: 'repo', name: 'Repo', project: { key: 'KEY', name: hostile.element } }],
                      isLastPage: false,
                      nextPageStart: 50,
                    }
                  : { values: [], isLastPage: true },
            }
          : undefined;
      const access = { bitbucket_server_url: there.url, bitbucket_server_username: 'kim' };
      const page = await root.fill('/import/bitbucket_server/new', '/import/bitbucket_server/status', {
        ...access,
        personal_access_token: serverSecret,
      });
      assert.match(page.text, /value="KEY\/repo /);
      assert.match(page.text, /name="page" value="50"/);
      assertHarmless(page.text, 'server');
    });

    it('allow only owners to cancel an import', async () => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      world.intercept = (call) =>
        call.path.endsWith('/labels')
          ? (response) => {
              held.then(() => response.writeHead(404).end('{}'));
            }
          : undefined;
      await server.must('POST /import/github', {
        json: { personal_access_token: hostaToken, repo_id: 77, target_namespace: 'team', new_name: 'stopped' },
      });
      assert.match(await openPage('/team/stopped'), /Cancel the import/);
      const forbidden = await other.fill('/', '/team/stopped/-/import/cancel', {});
      assert.equal(forbidden.status, 404);
      assert.equal(
        placeOf(await root.fill('/team/stopped', '/team/stopped/-/import/cancel', {})),
        '/team/stopped/-/import',
      );
      release();
      assert.equal(await settled('team/stopped'), 'canceled');
      assert.match(await openPage('/team/stopped/-/import'), /canceled/);
      placeOf(await root.fill('/team/copy', '/team/stopped/-/import/cancel', {}));
      world.intercept = undefined;
    });

    it('transfer groups directly, and show progress', async () => {
      const source = await startTestServer(engine);
      await source.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
      await source.must('POST /groups', { json: { name: 'Far', path: 'far', visibility: 'public' } });
      const { token } = await source.must('POST /users/1/personal_access_tokens', {
        json: { name: 'x', scopes: ['api'], expires_at: '2027-10-01' },
      });
      const fields = { url: source.url, access_token: token, source_type: 'group_entity', destination_namespace: '' };
      assert.match(await openPage('/import/bulk_imports'), /New transfer/);
      const bad = await root.fill('/import/bulk_imports/new', '/import/bulk_imports', { ...fields, paths: 'nowhere' });
      assert.equal(bad.status, 422);
      assert.match(bad.text, /&#39;nowhere&#39; not found|'nowhere' not found/);
      assert.ok(!bad.text.includes(token));
      const begun = await root.fill('/import/bulk_imports/new', '/import/bulk_imports', {
        ...fields,
        paths: ' far\r\n',
      });
      const place = placeOf(begun);
      const live = await OpenPage.open(server, place, root.cookie);
      await live.heard(/finished/);
      live.close();
      assert.match(await openPage(place), /href="\/far"/);
      assert.match(await openPage('/import/bulk_imports'), new RegExp(`href="${place}"`));
      assert.equal((await other.open(place)).status, 404);
      assert.equal((await other.fill('/', `${place}/cancel`, {})).status, 404);
    });

    it('allow only maintainers to export a project', async () => {
      const page = '/team/copy/-/settings/export';
      assert.equal((await other.open(page)).status, 404);
      for (const place of ['/groups/team', '/projects/team%2Fcopy']) {
        await server.must(`PUT ${place}`, { json: { visibility: 'public' } });
      }
      assert.match(await openPage(page), /Download the file/);
      assert.equal(placeOf(await root.fill(page, page, { description: 'sent along' })), page);
      const ready = async () => (await server.must('GET /projects/team%2Fcopy/export')).export_status === 'finished';
      await until(ready);
      const file = await root.open('/team/copy/download_export');
      assert.match(placeOf(file), /^\/api\/v4\/projects\/\d+\/export\/download$/);
      assert.equal((await root.open(placeOf(file))).status, 200);
      placeOf(await root.fill(page, `${page}/relations`, {}));
      const live = await OpenPage.open(server, page, root.cookie);
      await live.heard(/event over/);
      live.close();
      assert.match(await openPage(page), /export_relations\/download\?relation=labels/);
      assert.equal((await other.open(page)).status, 403);
      assert.equal((await other.fill('/', page, {})).status, 403);
      await server.must('PUT /application/settings', { json: { project_export_enabled: false } });
      assert.match(await openPage(page), /Exports are disabled/);
      await server.must('PUT /application/settings', { json: { project_export_enabled: true } });
    });

    it('allow owners to export a group, and import the file', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Choir', path: 'choir' } });
      await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'Sing' } });
      await server.must(`POST /groups/${group.id}/labels`, { json: { name: 'loud', color: '#112233' } });
      const page = '/groups/choir/-/settings/export';
      assert.equal((await other.open(page)).status, 404);
      assert.match(await openPage(page), /no file/);
      assert.equal(placeOf(await root.fill(page, page, {})), page);
      const live = await OpenPage.open(server, page, root.cookie);
      await live.heard(/event over/);
      live.close();
      assert.match(await openPage(page), /Download the file/);
      const file = placeOf(await root.open('/groups/choir/-/download_export'));
      assert.match(file, /^\/api\/v4\/groups\/\d+\/export\/download$/);
      const sent = await fetch(server.url + file, { headers: { cookie: root.cookie ?? '' } });
      const bytes = await sent.bytes();
      const way = '/import/gitlab_group/new';
      assert.match(await openPage('/groups/new'), new RegExp(`href="${way}"`));
      const send = async (who: Browser, fields: Record<string, string>, proof?: string) => {
        const authenticity_token = proof ?? tokenIn(await openPage(way, who)) ?? '';
        return who.upload('/import/gitlab_group', { authenticity_token, ...fields }, bytes);
      };
      const imported = async (path: string) => {
        const address = `GET /groups/${encodeURIComponent(path)}/import`;
        await until(async () => ['finished', 'failed'].includes((await server.must(address)).import_status));
      };
      const at = { name: 'Second', path: 'second', parent_id: '' };
      assert.equal(placeOf(await send(root, at)), '/groups/second/-/import');
      await imported('second');
      assert.match(await openPage('/groups/second/-/import'), /It is here now/);
      assert.equal((await server.must('GET /groups/second/epics/1')).title, 'Sing');
      const below = { ...at, path: 'third', parent_id: String(group.id) };
      assert.equal(placeOf(await send(root, below)), '/groups/choir/third/-/import');
      const repeated = await send(root, at);
      assert.equal(repeated.status, 422);
      assert.equal((await send(root, at, 'forged')).status, 422);
      assert.ok([404, 422].includes((await send(other, { ...below, path: 'theirs' })).status));
      assert.match(await openPage('/groups/choir/-/import'), /was not imported from a file/);
      assert.equal((await other.open('/groups/second/-/import')).status, 404);
    });

    it('reassign contributions of source users, who must accept', async () => {
      const page = '/groups/team/-/settings/reassignments';
      const shown = await openPage(page);
      const [first = '', second = ''] = [...shown.matchAll(/reassignments\/(\d+)"/g)].map(([, id]) => id ?? '');
      const nobody = await root.fill(page, `${page}/${first}`, { username: 'nobody-here' });
      assert.equal(nobody.status, 422);
      assert.match(nobody.text, /User not found/);
      assert.equal((await root.fill(page, `${page}/999999`, { username: 'root' })).status, 404);
      const { username } = await addUser(server);
      const asked = new Browser(server);
      await asked.signIn(username, 'long enough 4 you');
      assert.equal(placeOf(await root.fill(page, `${page}/${first}`, { username: `@${username}` })), page);
      assert.equal((await root.fill(page, `${page}/${first}`, { username })).status, 422, 'must be awaiting approval');
      const own = '/-/user_settings/reassignments';
      assert.match(await openPage(own, asked), /Accept/);
      assert.match(await openPage(own, other), /No pending reassignments/);
      assert.equal((await other.fill(own, `${own}/act`, { action: 'accept', id: first })).status, 404);
      assert.equal(placeOf(await asked.fill(own, `${own}/act`, { action: 'accept', id: first })), own);
      await until(async () => /badge-success">done/.test(await openPage(page)));
      const table = await (
        await fetch(`${server.url}/api/v4/groups/${groupId}/placeholder_reassignments`, {
          headers: { cookie: root.cookie ?? '' },
        })
      ).text();
      const proof = { authenticity_token: tokenIn(shown) };
      const filled = table.replaceAll(',,\r\n', `,${username},\r\n`).replaceAll(',,\n', `,${username},\n`);
      const taken = await root.upload(`${page}/file`, proof, new TextEncoder().encode(filled));
      assert.equal(taken.status, 200, taken.text);
      assert.match(taken.text, /The file was imported/);
      assert.match(await openPage(own, asked), new RegExp(`value="${second}"`));
      const broken = await root.upload(`${page}/file`, proof, new TextEncoder().encode('no table'));
      assert.equal(broken.status, 422);
      assert.match(broken.text, /misses the columns/);
      assert.equal((await other.open(page)).status, 403);
    });
  });
});
