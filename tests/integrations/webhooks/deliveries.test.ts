import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type Receiver, startReceiver } from './receiver.ts';

forEachEngine((engine) => {
  describe('webhook deliveries', () => {
    let server: TestServer;
    let receiver: Receiver;
    let project: { id: number };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      project = await server.must('POST /projects', { json: { name: 'Project', initialize_with_readme: true } });
    });

    const hookTo = (path: string, json: object = {}) =>
      server.must(`POST /projects/${project.id}/hooks`, {
        json: { url: receiver.url + path, push_events: false, issues_events: true, ...json },
      });
    const openIssue = () => server.must(`POST /projects/${project.id}/issues`, { json: { title: `Issue ${++count}` } });
    const eventsOf = (hook: { id: number }, query = '') =>
      server.must(`GET /projects/${project.id}/hooks/${hook.id}/events${query}`);
    const stateOf = (hook: { id: number }) => server.must(`GET /projects/${project.id}/hooks/${hook.id}`);

    it('are signed with the signing token, also when they are resent', async () => {
      const key = Buffer.alloc(32, 9);
      const hook = await hookTo('/signed', { signing_token: `whsec_${key.toString('base64')}` });
      await openIssue();
      await receiver.arrived('/signed');
      await until(async () => (await eventsOf(hook)).length === 1);
      const [event] = await eventsOf(hook);
      await server.must(`POST /projects/${project.id}/hooks/${hook.id}/events/${event.id}/resend`);
      const sent = receiver.at('/signed');
      assert.equal(sent.length, 2);
      for (const { headers, raw } of sent) {
        assert.equal(headers['webhook-id'], headers['idempotency-key']);
        const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`;
        assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
      }
      assert.equal(JSON.stringify(event).includes(key.toString('base64')), false);
    });

    it('are logged without secrets and can be resent', async () => {
      const hook = await hookTo('/{secret}', {
        token: 'hush',
        url_variables: [{ key: 'secret', value: 'logged' }],
        custom_headers: [{ key: 'X-Own', value: 'classified' }],
      });
      await openIssue();
      const [first] = await receiver.arrived('/logged');
      assert.equal(first?.headers['x-own'], 'classified');
      await until(async () => (await eventsOf(hook)).length === 1);
      const [event] = await eventsOf(hook);
      assert.equal(event.url, `${receiver.url}/{secret}`);
      assert.equal(event.trigger, 'issue_hooks');
      assert.equal(event.response_status, '200');
      assert.equal(event.response_body, 'taken');
      assert.equal(event.response_headers['X-Receiver'], 'here');
      assert.equal(event.request_data.object_kind, 'issue');
      assert.equal(/hush|classified/.test(JSON.stringify(event)), false);

      const again = await server.must(`POST /projects/${project.id}/hooks/${hook.id}/events/${event.id}/resend`);
      assert.deepEqual(again, { response_status: 200 });
      const sent = receiver.at('/logged');
      assert.equal(sent[1]?.raw, sent[0]?.raw);
      assert.equal(sent[1]?.headers['idempotency-key'], sent[0]?.headers['idempotency-key']);
      assert.equal((await eventsOf(hook, '?status=successful')).length, 2);
      assert.equal((await eventsOf(hook, '?status[]=500&status[]=server_failure')).length, 0);
      const bad = await server.api(`GET /projects/${project.id}/hooks/${hook.id}/events?status=nonsense`);
      assert.equal(bad.status, 400);
      const tooMany = await server.api(`GET /projects/${project.id}/hooks/${hook.id}/events?per_page=21`);
      assert.equal(tooMany.status, 400);
      const none = await server.api(`POST /projects/${project.id}/hooks/${hook.id}/events/999999/resend`);
      assert.equal(none.status, 404);
      await server.must(`PUT /projects/${project.id}/hooks/${hook.id}`, { json: { url: `${receiver.url}/moved` } });
      const moved = await server.api(`POST /projects/${project.id}/hooks/${hook.id}/events/${event.id}/resend`);
      assert.equal(moved.status, 422);
      await server.must(`DELETE /projects/${project.id}/hooks/${hook.id}`);
    });

    it('mask secrets in errors and echoed responses', async () => {
      const hook = await hookTo('/echo/{key}', {
        token: 'hush-hush',
        url_variables: [
          { key: 'host', value: 'topsecret' },
          { key: 'key', value: 'secret-key' },
        ],
        custom_headers: [{ key: 'X-Own', value: 'classified' }],
      });
      receiver.behaviour.set('/echo/secret-key', (response) =>
        response.writeHead(404, { 'x-echo': 'hush-hush' }).end('Cannot POST /echo/secret-key as classified'),
      );
      const at = `/projects/${project.id}/hooks/${hook.id}`;
      const tried = () => server.api(`POST ${at}/test/issues_events`);
      await openIssue();
      assert.equal((await tried()).status, 201);
      await server.must(`PUT ${at}`, {
        json: { url: 'http://{host}.invalid/', url_variables: [{ key: 'host', value: 'topsecret' }] },
      });
      const lost = await tried();
      assert.equal(lost.status, 422);
      const events = await eventsOf(hook);
      const kept = await server.db.read.selectFrom('webhook_deliveries').selectAll().execute();
      const told = JSON.stringify([lost.body, events, kept]);
      assert.equal(/topsecret|secret-key|hush-hush|classified/.test(told), false, told);
      assert.match(told, /Cannot POST \[REDACTED\]|Cannot POST \/echo\/\[REDACTED\]/);
      await server.must(`DELETE ${at}`);
    });

    it('are dropped in silent mode', async () => {
      const hook = await hookTo('/silenced');
      await server.must('PUT /application/settings', { json: { silent_mode_enabled: true } });
      await openIssue();
      await until(async () => {
        const due = server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'webhooks.deliver');
        return (await due.execute()).length === 0;
      });
      await server.must('PUT /application/settings', { json: { silent_mode_enabled: false } });
      await openIssue();
      const [told] = await receiver.arrived('/silenced');
      assert.equal(JSON.parse(told?.raw ?? '{}').object_attributes.title, `Issue ${count}`);
      await until(async () => (await eventsOf(hook)).length === 1);
      await server.must(`DELETE /projects/${project.id}/hooks/${hook.id}`);
    });

    it('disable the webhook after four consecutive failures until one succeeds', async () => {
      const hook = await hookTo('/failing');
      const well = await hookTo('/well');
      // Not 500: that is tried again after a while, and each attempt is an event of its own.
      receiver.behaviour.set('/failing', (response) => response.writeHead(404).end('no'));
      for (let i = 1; i <= 4; i++) {
        await openIssue();
        await until(async () => (await eventsOf(hook)).length >= i);
      }
      const paused = await stateOf(hook);
      assert.equal(paused.alert_status, 'temporarily_disabled');
      assert.ok(Date.parse(paused.disabled_until) > Date.now());
      assert.equal((await eventsOf(hook, '?status=client_failure')).length, 4);
      assert.equal((await eventsOf(hook, '?status=server_failure')).length, 0);
      const already = receiver.at('/well').length;
      await openIssue();
      await receiver.arrived('/well', already + 1);
      assert.equal((await stateOf(well)).alert_status, 'executable');
      assert.equal(receiver.at('/failing').length, 4);

      receiver.behaviour.delete('/failing');
      await server.must(`POST /projects/${project.id}/hooks/${hook.id}/test/issues_events`);
      const mended = await stateOf(hook);
      assert.deepEqual([mended.alert_status, mended.disabled_until], ['executable', null]);
      await server.must(`DELETE /projects/${project.id}/hooks/${hook.id}`);
    });

    it('survive receivers that redirect inside, respond endlessly or disconnect', async () => {
      receiver.behaviour.set('/redirects', (response) =>
        response.writeHead(302, { location: `${receiver.url}/inside` }).end(),
      );
      receiver.behaviour.set('/endless', (response) => {
        response.writeHead(200);
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
      receiver.behaviour.set('/closes', (response) => response.destroy());
      const hooks = [];
      for (const path of ['/redirects', '/endless', '/closes']) hooks.push(await hookTo(path));
      await openIssue();
      for (const hook of hooks) await until(async () => (await eventsOf(hook)).length > 0);
      const statuses = [];
      for (const hook of hooks) statuses.push((await eventsOf(hook)).at(-1).response_status);
      assert.deepEqual(statuses, ['302', '200', 'internal error']);
      assert.equal(receiver.at('/inside').length, 0);
      for (const hook of hooks) await server.must(`DELETE /projects/${project.id}/hooks/${hook.id}`);
    });

    it('continue to other receivers while one hangs', async () => {
      const held: (() => void)[] = [];
      receiver.behaviour.set('/hangs', (response) => held.push(() => response.end('at last')));
      const hooks = [];
      for (let number = 0; number < 8; number += 1) hooks.push(await hookTo('/hangs'));
      const other = await server.must('POST /projects', { json: { name: 'Other' } });
      await server.must(`POST /projects/${other.id}/hooks`, {
        json: { url: `${receiver.url}/elsewhere`, push_events: false, issues_events: true },
      });
      await openIssue();
      await receiver.arrived('/hangs', 2);
      await server.must(`POST /projects/${other.id}/issues`, { json: { title: 'Elsewhere' } });
      await receiver.arrived('/elsewhere');
      receiver.behaviour.delete('/hangs');
      for (const release of held) release();
      for (const hook of hooks) await server.must(`DELETE /projects/${project.id}/hooks/${hook.id}`);
    });

    it('can be tested with data of the project', async () => {
      const hook = await hookTo('/tried');
      const attempt = (trigger: string) => server.api(`POST /projects/${project.id}/hooks/${hook.id}/test/${trigger}`);
      const pushed = await attempt('push_events');
      assert.deepEqual([pushed.status, pushed.body], [201, { message: '201 Created' }]);
      assert.equal(receiver.at('/tried')[0]?.body.object_kind, 'push');
      assert.equal(receiver.at('/tried')[0]?.body.commits.length, 1);
      const none = await attempt('tag_push_events');
      assert.deepEqual([none.status, none.body], [422, { message: 'Ensure the project has at least one tag.' }]);
      assert.equal((await attempt('nonsense')).status, 400);
      receiver.behaviour.set('/tried', (response) => response.destroy());
      assert.equal((await attempt('issues_events')).status, 422);
      for (let i = 0; i < 2; i++) await attempt('issues_events');
      assert.equal((await attempt('issues_events')).status, 429);
      receiver.behaviour.delete('/tried');
      const at = `/projects/${project.id}/hooks/${hook.id}/events`;
      const [event] = await server.must(`GET ${at}?status=successful`);
      const resent = Array.from({ length: 6 }, () => server.api(`POST ${at}/${event.id}/resend`));
      assert.deepEqual(statuses(await Promise.all(resent)), { 201: 5, 429: 1 }, 'resending has a separate rate limit');
    });
  });

  describe('deliveries to forbidden addresses', () => {
    it('are refused when the name resolves to a local address', async () => {
      const server = await startTestServer(engine);
      const project = await server.must('POST /projects', { json: { name: 'Project', initialize_with_readme: true } });
      const hook = await server.must(`POST /projects/${project.id}/hooks`, {
        json: { url: 'http://a.example/' },
      });
      // Simulates a host name that resolves to this machine only now.
      await server.db.write((trx) => trx.updateTable('webhooks').set({ url: 'http://localhost:1/' }).execute());
      const tried = await server.api(`POST /projects/${project.id}/hooks/${hook.id}/test/push_events`);
      assert.deepEqual([tried.status, tried.body], [422, { message: 'Requests to localhost are not allowed' }]);
      const [event] = await server.must(`GET /projects/${project.id}/hooks/${hook.id}/events`);
      assert.equal(event.response_status, 'internal error');
    });
  });
});
