import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { initLines } from '../../src/web/ci/terraform.ts';
import { Browser, browserOfMember, rootPassword, tokenIn } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

it('shows the terraform init command of a state', () => {
  const lines = initLines('https://a.example/state/x', 'ada');
  assert.equal(lines[0], 'terraform init \\');
  assert.equal(lines[1], '  -backend-config="address=https://a.example/state/x" \\');
  assert.ok(lines.slice(0, -1).every((line) => line.endsWith(' \\')));
  assert.equal(lines.at(-1), '  -backend-config="retry_wait_min=5"');
});

forEachEngine((engine) => {
  describe('Terraform states and secure files', () => {
    let server: TestServer;
    let browser: Browser;
    let developer: Browser;
    let outsider: Browser;
    const url = '/projects/root%2Fdepot';
    const states = '/root/depot/-/terraform';
    const files = '/root/depot/-/secure_files';

    const openPage = (path: string, who = browser) => who.page(path);
    const write = (name: string, serial: number) =>
      server.must(`POST ${url}/terraform/state/${encodeURIComponent(name)}`, {
        body: JSON.stringify({ version: 4, serial }),
        headers: { 'content-type': 'application/json' },
      });
    const person = (level?: number) => browserOfMember(server, url, level);

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'depot', visibility: 'public' } });
      developer = await person(30);
      outsider = await person();
    });

    describe('Terraform state pages', () => {
      it('require Developer, and explain how to create a state', async () => {
        assert.match(await openPage(states, developer), /No states yet\.[\s\S]*terraform init/);
        assert.match(await openPage('/root/depot/-/pipelines', developer), /-\/terraform">Terraform</);
        assert.doesNotMatch(await openPage('/root/depot/-/pipelines', outsider), /-\/terraform/);
        assert.equal((await outsider.open(states)).status, 403);
        assert.equal((await outsider.open(`${states}/live`)).status, 403);
      });

      it('list states with their last change, and versions of a state', async () => {
        for (const serial of [1, 2, 10]) await write('live', serial);
        await write('a/b <i>', 3);
        const text = await openPage(states, developer);
        assert.match(text, /a\/b &lt;i&gt;<\/strong>[\s\S]*serial 3[\s\S]*live<\/strong>[\s\S]*serial 10/);
        assert.match(
          await openPage(`${states}/${encodeURIComponent('a/b <i>')}`, developer),
          /<h1>a\/b &lt;i&gt;<\/h1>/,
        );
        const one = await openPage(`${states}/live`, developer);
        assert.match(one, /<strong>10<\/strong>[\s\S]*<strong>2<\/strong>[\s\S]*<strong>1<\/strong>/);
        assert.doesNotMatch(one, />(Lock|Unlock|Delete)</);
        const [link = ''] = /\/api\/v4[^"]*\/versions\/2(?=")/.exec(one) ?? [];
        assert.match((await developer.open(link)).text, /"serial":2/);
        assert.equal((await developer.open(`${states}/nothing`)).status, 404);
      });

      it('allow Maintainers to lock and unlock', async () => {
        const one = `${states}/live`;
        assert.equal((await developer.fill(one, `${one}/lock`, {})).status, 403);
        assert.equal((await browser.fill(one, `${one}/lock`, {})).status, 303);
        assert.match(await openPage(one, developer), /badge-locked[\s\S]*by <a href="\/root"/);
        assert.match(await openPage(one), />Unlock<[\s\S]*Unlock it first/);
        assert.equal((await browser.fill(one, `${one}/lock`, {})).status, 409);
        assert.equal((await browser.fill(one, `${one}/remove`, { confirm: 'live' })).status, 409);
        assert.equal((await browser.fill(one, `${one}/unlock`, {})).status, 303);
        assert.match(await openPage(one), />Lock</);
      });

      it('delete a version, and a state after confirmation', async () => {
        const one = `${states}/live`;
        assert.equal((await developer.fill(one, `${one}/versions/remove`, { serial: '1' })).status, 403);
        assert.equal((await browser.fill(one, `${one}/versions/remove`, { serial: '1' })).status, 303);
        assert.doesNotMatch(await openPage(one), /<strong>1<\/strong>/);
        const wrong = await browser.fill(one, `${one}/remove`, { confirm: 'Live' });
        assert.equal(wrong.status, 422);
        assert.match(wrong.text, /nothing was deleted/);
        assert.equal((await browser.fill(one, `${one}/remove`, { confirm: 'live' })).headers.get('location'), states);
        assert.equal((await browser.open(one)).status, 404);
      });

      it('are backed by a paginated API that requires read access', async () => {
        for (let n = 0; n < 3; n += 1) await write(`many-${n}`, 1);
        const first = await server.api(`GET ${url}/terraform/states?per_page=2`);
        assert.deepEqual([first.body.length, first.headers.get('x-total')], [2, '4']);
        const { name, locked_at, locked_by, latest_version } = first.body[1];
        assert.deepEqual([name, locked_at, locked_by, latest_version.serial], ['many-0', null, null, 1]);
        assert.equal(latest_version.created_by.username, 'root');
        await server.must(`POST ${url}/terraform/state/begun/lock`, {
          json: { ID: 'x', Operation: '', Info: '', Who: '', Version: '', Created: '', Path: '' },
        });
        const begun = await server.must(`GET ${url}/terraform/states/begun`);
        assert.deepEqual([begun.latest_version, begun.locked_by.username], [null, 'root']);
        assert.deepEqual(await server.must(`GET ${url}/terraform/states/begun/versions`), []);
        for (const path of ['states', 'states/many-0', 'states/many-0/versions']) {
          assert.equal((await server.api(`GET ${url}/terraform/${path}`, { token: null })).status, 401, path);
        }
        assert.equal((await server.api(`GET ${url}/terraform/states/none/versions`)).status, 404);
      });
    });

    describe('secure file pages', () => {
      const upload = async (who: Browser, file: Blob | undefined, name = '') => {
        const form = new FormData();
        form.set('authenticity_token', tokenIn((await who.open(files)).text) || tokenIn((await who.open('/')).text));
        form.set('name', name);
        form.set('file', file ?? new Blob([]), file ? 'key.pem' : '');
        const headers = { accept: 'text/html', cookie: who.cookie ?? '' };
        return fetch(server.url + files, { method: 'POST', body: form, headers, redirect: 'manual' });
      };

      it('require Developer', async () => {
        const text = await openPage(files, developer);
        assert.match(text, /No secure files\./);
        assert.doesNotMatch(text, /type="file"/);
        assert.equal((await outsider.open(files)).status, 403);
        assert.equal((await upload(developer, new Blob(['x']))).status, 403);
      });

      it('allow Maintainers to upload and download files', async () => {
        assert.equal((await upload(browser, new Blob(['secret']))).status, 303);
        assert.equal((await upload(browser, new Blob(['other']), 'other.p12')).status, 303);
        const text = await openPage(files, developer);
        assert.match(text, /other\.p12<\/strong>[\s\S]*key\.pem<\/strong>[\s\S]*Job-Token/);
        const [link = ''] = /\/api\/v4[^"]*\/download(?=")/.exec(text) ?? [];
        assert.equal((await developer.open(link)).text, 'other');
      });

      it('show upload errors', async () => {
        const cases = [
          [new Blob(['x']), 'key.pem', /has already been taken/],
          [new Blob(['x']), 'a/<b>', /is invalid[\s\S]*value="a\/&lt;b&gt;"/],
          [new Blob([]), 'empty', /File is empty|Choose a file/],
          [new Blob(['x'.repeat(6_000_000)]), 'large', /too large/],
          [undefined, 'none', /Choose a file/],
        ] as const;
        for (const [file, name, expected] of cases) {
          const answer = await upload(browser, file, name);
          assert.equal(answer.status, 422, name);
          assert.match(await answer.text(), expected, name);
        }
      });

      it('allow Maintainers to delete files', async () => {
        const [{ id }] = await server.must(`GET ${url}/secure_files`);
        assert.equal((await developer.fill(files, `${files}/remove`, { id: String(id) })).status, 403);
        assert.equal((await browser.fill(files, `${files}/remove`, { id: String(id) })).status, 303);
        assert.doesNotMatch(await openPage(files), /other\.p12/);
      });
    });
  });
});
