import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { startUpstream, type Upstream } from '../ci/dependency-proxy/upstream.ts';
import { basic, RegistryClient } from '../ci/registry/registry-client.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('dependency proxy page', () => {
    let upstream: Upstream;
    let server: TestServer;
    let browser: Browser;
    let group: number;
    const page = '/groups/house/-/dependency_proxy';
    const pull = () =>
      new RegistryClient(server.url, basic('me', rootToken)).call(
        'GET /v2/house/dependency_proxy/containers/alpine/manifests/3',
      );

    before(async () => {
      upstream = await startUpstream();
      upstream.push('library/alpine', '3');
      server = await startTestServer(engine, ['--dependency-proxy-url', upstream.url, '--allow-local-egress']);
      group = (await server.must('POST /groups', { json: { name: 'House', path: 'house', visibility: 'public' } })).id;
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
    });

    it('shows cached images and the pull prefix', async () => {
      const { host } = new URL(server.url);
      const empty = await browser.page(page);
      assert.ok(empty.includes(`${host}/house/dependency_proxy/containers`));
      assert.match(empty, /No cached images/);
      assert.equal((await pull()).status, 200);
      assert.match(await browser.page(page), /alpine:3<\/strong> <code>sha256:/);
      await browser.send(page, `${page}/purge`, {});
      await server.running.services.queue.drain();
      assert.match(await browser.page(page), /No cached images/);
    });

    it('updates the settings without showing secrets', async () => {
      const form = { enabled: 'true', identity: 'robot', secret: 'hush-hush', ttl_enabled: 'true', ttl: '14' };
      await browser.send(page, page, form);
      const set = await browser.page(page);
      assert.match(set, /value="robot"/);
      assert.doesNotMatch(set, /hush-hush/);
      const wrong = await browser.fill(page, page, { ...form, secret: '', ttl: '0' });
      assert.equal(wrong.status, 422);
      await browser.send(page, page, { ...form, secret: '', ttl: '7' });
      const { identity, ttl_policy } = await server.must(`GET /groups/${group}/dependency_proxy`);
      assert.deepEqual([identity, ttl_policy.enabled, ttl_policy.ttl], ['robot', true, 7]);
      await browser.send(page, page, { identity: '', secret: '', ttl: '7' });
      assert.match(await browser.page(page), /dependency proxy is disabled/);
      assert.equal((await server.must(`GET /groups/${group}/dependency_proxy`)).identity, null);
    });

    it('requires membership, and Owner for changes', async () => {
      const user = await addUser(server);
      const reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      assert.equal((await reader.open(page)).status, 403);
      const packages = '/groups/house/-/packages';
      assert.doesNotMatch(await reader.page(packages), /dependency_proxy/);
      await server.must(`POST /groups/${group}/members`, { json: { user_id: user.id, access_level: Role.guest } });
      assert.match(await reader.page(packages), /dependency_proxy/);
      assert.doesNotMatch(await reader.page(page), /Clear the cache|<h2>Settings/);
      const refused = await reader.fill(page, `${page}/purge`, {});
      assert.equal(refused.status, 403);
    });
  });
});
