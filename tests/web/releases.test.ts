import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, browserOfMember, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('release pages', () => {
    let server: TestServer;
    let browser: Browser;
    const api = '/projects/root%2Fpot';
    const page = '/root/pot/-/releases/v1%2F0';
    const links = () => server.must(`GET ${api}/releases/v1%2F0/assets/links`);

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', {
        json: { name: 'pot', visibility: 'public', initialize_with_readme: true },
      });
      await server.must(`POST ${api}/releases`, { json: { tag_name: 'v1/0', ref: 'main', name: 'One' } });
      await server.running.services.queue.drain();
    });

    it('show tag, commit and author', async () => {
      const { commit } = await server.must(`GET ${api}/releases/v1%2F0`);
      const text = await browser.page(page);
      assert.match(text, /href="\/root\/pot\/-\/tree\/v1\/0">v1\/0</);
      assert.match(text, new RegExp(`/root/pot/-/commit/${commit.id}"[\\s\\S]*Administrator`));
    });

    it('add and delete assets, and show validation errors', async () => {
      const refused = await browser.fill(`${page}/edit`, `${page}/assets`, { name: 'Pot', url: 'no address' });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /role="alert"[\s\S]*value="Pot"/);
      const sent = { name: hostile.attribute, url: 'https://example.com/pot.tgz', link_type: 'package' };
      const added = await browser.fill(`${page}/edit`, `${page}/assets`, sent);
      assert.deepEqual([added.status, added.headers.get('location')], [303, `${page}/edit`]);
      const [link] = await links();
      assert.deepEqual([link.name, link.link_type], [hostile.attribute, 'package']);
      assert.match(await browser.page(page), /https:\/\/example\.com\/pot\.tgz/);
      const stranger = await browserOfMember(server, api, 10);
      assert.equal((await stranger.fill(page, `${page}/assets/${link.id}/remove`, {})).status, 403);
      assert.equal((await links()).length, 1);
      assert.equal((await browser.fill(`${page}/edit`, `${page}/assets/${link.id}/remove`, {})).status, 303);
      assert.deepEqual(await links(), []);
    });
  });
});
