import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addStage, addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('web frame', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    it('shows a start page without external resources', async () => {
      const page = await new Browser(server).open('/');
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /script-src 'self'; style-src 'self'/);
      assert.ok(!policy.includes('unsafe'));
      assert.doesNotMatch(page.text, /<style|<script(?! src=)|\sstyle=|\son[a-z]+=/);
      for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(\/-\/assets\/[^"]+)"/g)) {
        const asset = await fetch(server.url + path);
        assert.equal(asset.status, 200, path);
        assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
        await asset.arrayBuffer();
      }
    });

    it('has a menu of links, with the administration for administrators only', async () => {
      const user = await addUser(server);
      for (const [login, password, shown] of [
        ['root', rootPassword, true],
        [user.username, 'long enough 4 you', false],
      ] as const) {
        const browser = new Browser(server);
        await browser.signIn(login, password);
        const [, menu = ''] = /<details class="menu">([\s\S]*?)<\/details>/.exec(await browser.page('/')) ?? [];
        assert.equal(menu.includes('href="/admin"'), shown);
        assert.doesNotMatch(menu, /<\/a>[^<]/);
      }
    });

    it('responds with 404 as HTML to browsers and as JSON to clients', async () => {
      const browser = new Browser(server);
      const words = await browser.open('/no/such/place');
      assert.equal(words.status, 404);
      assert.match(words.text, /Page not found[\s\S]*sign in[\s\S]*Request [0-9a-f-]{36}/);
      const data = await browser.open('/no/such/place', { accept: '*/*' });
      assert.deepEqual([data.status, JSON.parse(data.text)], [404, { error: '404 Not Found' }]);
      // As for API clients with a wrong URL, which must get 404 rather than 413.
      for (const path of ['/no/such/place', '/sentry/api/1/envelope/', '/users/sign_in']) {
        const headers = { 'content-type': 'application/json', accept: '*/*' };
        const { status } = await fetch(server.url + path, {
          method: 'POST',
          headers,
          body: '{"a": 1}',
          redirect: 'manual',
        });
        assert.equal(status, path === '/users/sign_in' ? 422 : 404, path);
      }
      const api = await browser.open('/api/v4/nowhere');
      assert.deepEqual([api.status, JSON.parse(api.text)], [404, { error: '404 Not Found' }]);
    });

    it('redirects legacy URLs', async () => {
      await server.must('POST /projects', { json: { name: 'aged', visibility: 'public' } });
      await server.must('POST /projects', { json: { name: 'hidden-age', visibility: 'private' } });
      const browser = new Browser(server);
      for (const [path, location] of [
        ['/root/aged/issues/1', '/root/aged/-/issues/1'],
        ['/root/aged/merge_requests?state=all', '/root/aged/-/merge_requests?state=all'],
        ['/root/aged/tree/main/issues', '/root/aged/-/tree/main/issues'],
      ] as const) {
        const page = await browser.open(path);
        assert.deepEqual([page.status, page.headers.get('location')], [303, location]);
      }
      for (const path of ['/root/aged/nothing/1', '/root/hidden-age/issues', '/root/issues', '/root/none/issues/1'])
        assert.equal((await browser.open(path)).status, 404, path);
    });

    it('signs in and out with a new session each time', async () => {
      const browser = new Browser(server);
      const wrong = await browser.signIn('root', 'not this');
      assert.equal(wrong.status, 422);
      const unknown = await browser.signIn('nobody-here', 'not this');
      const told = (text: string) => /role="alert">([^<]*)</.exec(text)?.[1];
      assert.equal(told(unknown.text), told(wrong.text));
      assert.equal(browser.cookie, undefined);
      const right = await browser.signIn('root', rootPassword);
      assert.equal(right.status, 303);
      assert.match(right.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/);
      const first = browser.cookie;
      assert.match((await browser.open('/')).text, /Sign out[\s\S]*Your projects/);
      await browser.signIn('root', rootPassword);
      assert.notEqual(browser.cookie, first);
      const token = tokenIn((await browser.open('/')).text);
      assert.equal((await browser.post('/users/sign_out', {})).status, 422);
      assert.equal((await browser.post('/users/sign_out', { authenticity_token: token })).status, 303);
      assert.equal(browser.cookie, undefined);
      assert.doesNotMatch((await browser.open('/')).text, /Sign out/);
    });

    it('applies the theme without scripts and before signing in', async () => {
      const browser = new Browser(server);
      assert.match((await browser.open('/explore')).text, /<html lang="en">[\s\S]*content="light dark"/);
      const chosen = await browser.post('/-/profile/theme', { theme: 'dark', redirect: '/explore?name=a' });
      assert.deepEqual([chosen.status, chosen.headers.get('location')], [303, '/explore?name=a']);
      const dark = await browser.open('/explore');
      assert.match(dark.text, /<html lang="en" data-theme="dark">[\s\S]*name="color-scheme" content="dark"/);
      assert.match(dark.text, /value="dark" aria-pressed="true"/);
      await browser.post('/-/profile/theme', { theme: '"><script>', redirect: '//evil.example' });
      assert.match((await browser.open('/explore')).text, /<html lang="en">/);
      const foreign = await browser.post('/-/profile/theme', { theme: 'dark' }, { 'sec-fetch-site': 'cross-site' });
      assert.deepEqual([foreign.status, foreign.headers.get('set-cookie')], [403, null]);
      const forged = await browser.open('/explore', { cookie: 'hearth_theme=evil' });
      assert.match(forged.text, /<html lang="en">/);
    });

    it('rejects sign-in forms from other sites', async () => {
      const fields = { 'user[login]': 'root', 'user[password]': rootPassword };
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
      ];
      for (const headers of foreign) {
        const answer = await new Browser(server).post('/users/sign_in', fields, headers);
        assert.equal(answer.status, 403, JSON.stringify(headers));
        assert.equal(answer.headers.get('set-cookie'), null);
      }
      const own = await new Browser(server).post('/users/sign_in', fields, { origin: server.url });
      assert.equal(own.status, 303);
    });

    it('redirects only to this server after signing in', async () => {
      const outside = [
        'https://evil.example/',
        '//evil.example',
        '/\\evil.example',
        '/.//evil.example',
        'javascript:alert(1)',
        '/\t/evil.example',
      ];
      for (const redirect of outside) {
        const answer = await new Browser(server).signIn('root', rootPassword, { redirect });
        assert.equal(answer.headers.get('location'), '/', redirect);
      }
      const inside = await new Browser(server).signIn('root', rootPassword, { redirect: '/explore?name=a' });
      assert.equal(inside.headers.get('location'), '/explore?name=a');
    });

    it('reveals a blocked account only with the right password', async () => {
      const user = await addUser(server);
      await server.must(`POST /users/${user.id}/block`);
      assert.match(
        (await new Browser(server).signIn(user.username, 'long enough 4 you')).text,
        /account has been blocked/,
      );
      assert.match((await new Browser(server).signIn(user.username, 'wrong')).text, /Invalid login or password/);
    });

    it('shows users only their own projects', async () => {
      const stage = await addStage(server, 'private');
      const open = await addStage(server, 'public');
      const user = await addUser(server);
      const browser = new Browser(server);
      await browser.signIn(user.username, 'long enough 4 you');
      const page = async (path: string) => (await browser.open(path)).text;
      assert.ok(!(await page('/explore')).includes(stage.project.path_with_namespace));
      assert.ok((await page('/explore')).includes(open.project.path_with_namespace));
      assert.ok(!(await page('/')).includes(open.project.path_with_namespace));
      await server.must(`POST /projects/${stage.project.id}/members`, { json: { user_id: user.id, access_level: 30 } });
      assert.ok((await page('/')).includes(stage.project.path_with_namespace));
    });

    // Must be last, because this address is rate limited from here on.
    it('rate limits sign-in attempts', async () => {
      const browser = new Browser(server);
      let tries = 0;
      let told = '';
      for (; tries <= 30 && !told.includes('Too many attempts'); tries += 1) {
        told = (await browser.signIn('nobody-here', `guess ${tries}`)).text;
      }
      assert.match(told, /Too many attempts from your address/);
      assert.match((await browser.signIn('root', rootPassword)).text, /Too many attempts from your address/);
      assert.equal(browser.cookie, undefined);
    });
  });
});
