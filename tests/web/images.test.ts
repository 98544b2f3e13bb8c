import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { basic, RegistryClient } from '../ci/registry/registry-client.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('container registry, Pages and status check pages', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    const home = '/root/ship/-';
    const openPage = (path: string, who = browser) => who.page(path);
    const submit = (page: string, path: string, form: Record<string, string>) => browser.send(page, path, form);

    before(async () => {
      server = await startTestServer(engine, ['--pages-domain', 'pages.localhost']);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', { json: { name: 'ship', visibility: 'public' } });
    });

    it('list and delete repositories and tags', async () => {
      const page = `${home}/container_registry`;
      assert.match(await openPage(page), /No image yet\. Push one: <code>docker push [^<]*\/root\/ship:latest/);
      const client = new RegistryClient(server.url, basic('root', rootToken));
      for (const tag of ['v1', 'v2']) await client.pushImage('root/ship', tag);
      assert.match(await openPage(page), /root\/ship<\/strong>[\s\S]*2 tags/);
      const [{ id }] = await server.must('GET /projects/root%2Fship/registry/repositories');
      const tags = `${page}/${id}`;
      assert.match(await openPage(tags), /v1[\s\S]*v2[\s\S]*Delete/);
      assert.doesNotMatch(await openPage(tags, reader), /Delete/);
      const refused = await reader.fill(page, `${tags}/tags/remove`, { name: 'v1' });
      assert.equal(refused.status, 403);
      await submit(tags, `${tags}/tags/remove`, { name: 'v1' });
      assert.deepEqual(await client.tags('root/ship'), ['v2']);
      await submit(page, `${tags}/remove`, {});
      await server.running.services.queue.drain();
      assert.equal((await browser.open(tags)).status, 404);
    });

    it('list the repositories of a group with links to their projects', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Docks', path: 'Docks', visibility: 'public' } });
      const page = '/groups/Docks/-/container_registries';
      assert.match(await openPage(page), /No image yet/);
      for (const [name, visibility] of [
        ['Crane', 'public'],
        ['hoist', 'private'],
      ])
        await server.must('POST /projects', { json: { name, path: name, namespace_id: group.id, visibility } });
      const client = new RegistryClient(server.url, basic('root', rootToken));
      for (const path of ['docks/crane', 'docks/crane/inner/part', 'docks/hoist']) await client.pushImage(path, 'v1');
      const shown = await openPage(page);
      assert.match(shown, /docks\/crane<\/strong>[\s\S]*docks\/crane\/inner\/part<\/strong>[\s\S]*docks\/hoist</);
      const links = [...shown.matchAll(/href="(\/docks\/[^"]*\/-\/container_registry\/\d+)"/gi)].map(
        ([, link = '']) => link,
      );
      assert.equal(links.length, 3, shown);
      for (const link of links) assert.equal((await browser.open(link)).status, 200, link);
      for (const who of [reader, new Browser(server)]) {
        const text = await openPage(page, who);
        assert.match(text, /docks\/crane</);
        assert.doesNotMatch(text, /hoist/);
      }
    });

    it('show the site URL, and add domains', async () => {
      const page = `${home}/pages`;
      assert.match(await openPage(page), /publishes the directory[\s\S]*pages\.localhost/);
      assert.match(await openPage('/root/ship/edit'), /href="\/root\/ship\/-\/pages"/);
      await submit(page, page, { domain: 'ship.example.com' });
      assert.match(await openPage(page), /not verified[\s\S]*_gitlab-pages-verification-code\.ship\.example\.com TXT/);
      await submit(page, `${page}/act`, { action: 'remove', id: 'ship.example.com' });
      assert.doesNotMatch(await openPage(page), /ship\.example\.com TXT/);
      assert.equal((await reader.open(page)).status, 403);
    });

    it('add status checks without showing secrets', async () => {
      const page = `${home}/settings/status_checks`;
      const check = { name: 'QA', external_url: 'https://qa.example.com', shared_secret: 'hush-hush' };
      await submit(page, page, check);
      const text = await openPage(page);
      assert.match(text, /QA<\/strong>[\s\S]*signed[\s\S]*https:\/\/qa\.example\.com · all branches/);
      assert.doesNotMatch(text, /hush-hush/);
      const [{ id }] = await server.must('GET /projects/root%2Fship/external_status_checks');
      await submit(page, `${page}/act`, { action: 'remove', id: `${id}` });
      assert.match(await openPage(page), /No status check/);
    });
  });
});
