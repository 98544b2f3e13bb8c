import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

forEachEngine((engine) => {
  describe('webhook whose URL is changed', () => {
    let server: TestServer;
    let home: Receiver;
    let elsewhere: Receiver;
    let project: { id: number };
    let hook: string;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      [home, elsewhere] = [await startReceiver(), await startReceiver()];
      project = await server.must('POST /projects', { json: { name: 'hooked', initialize_with_readme: true } });
    });

    beforeEach(async () => {
      const json = {
        url: `${home.url}/{path}`,
        token: 'hush',
        url_variables: [{ key: 'path', value: 'hidden' }],
        custom_headers: [{ key: 'X-Own', value: 'classified' }],
      };
      const { id } = await server.must(`POST /projects/${project.id}/hooks`, { json });
      hook = `/projects/${project.id}/hooks/${id}`;
    });

    const change = (json: object) => server.api(`PUT ${hook}`, { json });
    const lastAt = async ({ received }: Receiver) => {
      await server.must(`POST ${hook}/test/push_events`);
      const last = received.at(-1);
      return [last?.path, last?.headers['x-gitlab-token'], last?.headers['x-own']];
    };

    it('sends no stored secrets to another host', async () => {
      assert.equal((await change({ url: `${elsewhere.url}/new` })).status, 200);
      assert.deepEqual(await lastAt(elsewhere), ['/new', undefined, undefined]);
      assert.equal(/hidden|hush|classified/.test(JSON.stringify(elsewhere.received)), false);
      const shown = await server.must(`GET ${hook}`);
      assert.deepEqual([shown.url_variables, shown.custom_headers], [[], []]);
    });

    it('signs nothing for another address unless it gets a new signing token', async () => {
      const signing_token = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
      const isSigned = async ({ received }: Receiver) => {
        await server.must(`POST ${hook}/test/push_events`);
        return received.at(-1)?.headers['webhook-signature'] !== undefined;
      };
      assert.equal((await change({ signing_token })).status, 200);
      assert.equal(await isSigned(home), true);
      assert.equal((await change({ issues_events: true })).body.signing_token_present, true);
      assert.equal((await change({ url: `${elsewhere.url}/new` })).body.signing_token_present, false);
      assert.equal(await isSigned(elsewhere), false);
      assert.equal((await change({ url: `${home.url}/back`, signing_token })).status, 200);
      assert.equal(await isSigned(home), true);
    });

    it('sends only the submitted secrets to another host', async () => {
      const sent = { url_variables: [{ key: 'x', value: 'y' }], custom_headers: [{ key: 'X-Two', value: '2' }] };
      const refused = await change({ url: `${elsewhere.url}/{path}`, ...sent });
      assert.deepEqual([refused.status, refused.body], [422, { error: 'Invalid url given' }]);
      assert.deepEqual(await lastAt(home), ['/hidden', 'hush', 'classified']);
      assert.equal((await change({ url: `${elsewhere.url}/{x}`, ...sent, token: 'new' })).status, 200);
      assert.deepEqual(await lastAt(elsewhere), ['/y', 'new', undefined]);
    });

    it('merges secrets if the URL is unchanged', async () => {
      const json = { url: `${home.url}/{path}`, custom_headers: [{ key: 'X-Two', value: '2' }], issues_events: true };
      assert.equal((await change(json)).status, 200);
      assert.deepEqual(await lastAt(home), ['/hidden', 'hush', 'classified']);
      assert.equal((await change({ url_variables: [{ key: 'path', value: 'other' }] })).status, 200);
      assert.deepEqual(await lastAt(home), ['/other', 'hush', 'classified']);
    });

    it('keeps headers but not the token for another path of the same host', async () => {
      const json = { url: `${home.url}/a/{path}`, url_variables: [{ key: 'more', value: 'm' }] };
      assert.equal((await change(json)).status, 200);
      assert.deepEqual(await lastAt(home), ['/a/hidden', undefined, undefined]);
    });

    it('sends no stored secrets if a variable changes the host', async () => {
      const { host } = new URL(home.url);
      const json = {
        url: 'http://{host}/x',
        url_variables: [{ key: 'host', value: host }],
        custom_headers: [{ key: 'X-Own', value: 'classified' }],
        token: 'hush',
      };
      assert.equal((await change(json)).status, 200);
      assert.deepEqual(await lastAt(home), ['/x', 'hush', 'classified']);
      const value = new URL(elsewhere.url).host;
      assert.equal((await server.api(`PUT ${hook}/url_variables/host`, { json: { value } })).status, 204);
      assert.deepEqual(await lastAt(elsewhere), ['/x', undefined, undefined]);
    });
  });
});
