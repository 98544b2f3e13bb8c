import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { before, describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';
import {
  addTracked,
  counted,
  envelopeOf,
  errorsIn,
  eventId,
  exceptionEvent,
  post,
  report,
  type Sent,
  send,
  startTracking,
  type Tracked,
} from '../tracking.ts';

const MiB = 1024 * 1024;

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let tracked: Tracked;

  before(async () => {
    server = await startTracking(engine);
    owner = await addPerson(server, 'owner');
    tracked = await addTracked(server, owner);
  });

  const status = async (endpoint: string, sent: Sent = {}) => (await send(server, tracked, endpoint, sent)).status;
  const store = JSON.stringify({ message: 'stored' });
  const envelope = () => envelopeOf(exceptionEvent());

  describe('client key', () => {
    it('is accepted in every form used by SDKs', async () => {
      const { key } = tracked;
      const forms: Sent[] = [
        { query: `?sentry_key=${key}&sentry_version=7&sentry_client=sentry.javascript.node%2F7.38.0` },
        { headers: { 'x-sentry-auth': `Sentry sentry_version=7,sentry_client=sentry.java/6.18.1,sentry_key=${key}` } },
        { headers: { 'x-sentry-auth': `Sentry sentry_key=${key}, sentry_version=7` } },
        { headers: { authorization: `Sentry sentry_key=${key}` } },
        { headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` } },
      ];
      for (const form of forms) {
        for (const [endpoint, body] of [
          ['envelope', envelope()],
          ['store', store],
        ] as const) {
          assert.equal(await status(endpoint, { ...form, body }), 200, JSON.stringify(form));
        }
      }
      const inBody = envelopeOf(exceptionEvent(), { dsn: tracked.dsn });
      assert.equal(await status('envelope', { body: inBody, headers: { 'x-nothing': '1' } }), 200);
    });

    it('is rejected if missing, unknown, of another project or deleted', async () => {
      const other = await addTracked(server, owner);
      const withKey = (key: string): Sent => ({ query: `?sentry_key=${key}` });
      const right = { 'x-sentry-auth': `Sentry sentry_key=${tracked.key}` };
      const refusals: [Sent, number][] = [
        [{ headers: { 'x-nothing': '1' } }, 401],
        [{ headers: { 'x-sentry-auth': 'Sentry nonsense' } }, 401],
        [{ headers: { authorization: 'Bearer x' } }, 401],
        [withKey('glet_unknown'), 404],
        [withKey('k'.repeat(300)), 401],
        [withKey(other.key), 404],
        [{ query: '?sentry_key=wrong', headers: right }, 404],
      ];
      for (const [sent, expected] of refusals) {
        assert.equal(await status('envelope', { ...sent, body: envelope() }), expected, JSON.stringify(sent));
        assert.equal(await status('store', { ...sent, body: store }), expected, JSON.stringify(sent));
      }
      const misled = envelopeOf(exceptionEvent(), { dsn: other.dsn });
      assert.equal(await status('envelope', { body: misled }), 400);
      assert.equal(await status('envelope', { body: misled, headers: { 'x-nothing': '1' } }), 404);
      const path = `/projects/${other.project.id}/error_tracking/client_keys`;
      const [{ id }] = await server.must(`GET ${path}`);
      await server.must(`DELETE ${path}/${id}`);
      const answer = await send(server, other, 'envelope', { body: envelope() });
      assert.deepEqual([answer.status, answer.body.message], [404, '404 Not Found']);
    });

    it('is rejected while tracking is disabled', async () => {
      const other = await addTracked(server, owner);
      const path = `/projects/${other.project.id}/error_tracking/settings`;
      await server.must(`PATCH ${path}`, { json: { active: false } });
      assert.equal((await send(server, other, 'store', { body: store })).status, 404);
      await server.must(`PATCH ${path}`, { json: { active: true } });
      assert.equal((await send(server, other, 'store', { body: store })).status, 200);
    });

    it('gets the same response for a project that does not exist', async () => {
      const answers = await Promise.all(
        [tracked.project.id, 999_999_999, 'x', '0'].map((id) =>
          post(`${server.url}/errortracking/api/v1/projects/api/${id}/store/?sentry_key=unknown`, { body: store }),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    });

    it('grants no access to the API', async () => {
      const path = `/projects/${tracked.project.id}/error_tracking/client_keys`;
      assert.equal((await server.api(`GET ${path}`, { token: tracked.key })).status, 401);
    });
  });

  describe('ingest endpoints', () => {
    it('are reachable with every DSN, with and without a trailing slash', async () => {
      const { key, project } = tracked;
      const families = ['errortracking/api/v1/projects', 'api/v4/error_tracking/collector'];
      const addresses = [...families.map((family) => `${family}/api`), 'api'].flatMap((path) =>
        ['', '/'].map((slash) => `${server.url}/${path}/${project.id}/envelope${slash}`),
      );
      for (const address of addresses) {
        const answer = await post(`${address}?sentry_key=${key}`, { body: envelope() });
        assert.equal(answer.status, 200, address);
        assert.match(answer.text, /^\{"id":"[0-9a-f]{32}"\}$/);
      }
    });

    it('allow cross-origin requests', async () => {
      const asked = await send(server, tracked, 'envelope', {
        method: 'OPTIONS',
        headers: { origin: 'https://x.org' },
      });
      assert.equal(asked.status, 204);
      assert.equal(asked.headers.get('access-control-allow-origin'), '*');
      assert.match(asked.headers.get('access-control-allow-headers') ?? '', /x-sentry-auth/);
      for (const sent of [{ body: envelope() }, { body: 'x' }, { headers: { 'x-nothing': '1' }, body: 'x' }]) {
        const answer = await send(server, tracked, 'envelope', sent);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.match(answer.headers.get('access-control-expose-headers') ?? '', /x-sentry-rate-limits/);
        assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
      }
    });

    it('accept only POST', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await send(server, tracked, 'store', { method });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST, OPTIONS']);
      }
      assert.equal(await status('minidump', { body: 'x' }), 404);
    });
  });

  describe('request body', () => {
    it('may use any supported compression on both endpoints', async () => {
      const encodings: [string, (text: string) => Buffer][] = [
        ['gzip', gzipSync],
        ['deflate', deflateSync],
        ['deflate', deflateRawSync],
        ['br', brotliCompressSync],
        ['zstd', zstdCompressSync],
        ['', Buffer.from],
        ['identity', Buffer.from],
        ['utf-8', Buffer.from],
      ];
      const query = `?sentry_key=${tracked.key}`;
      for (const [encoding, compress] of encodings) {
        const headers = { 'content-encoding': encoding };
        assert.equal(await status('envelope', { query, headers, body: compress(envelope()) }), 200, encoding);
        assert.equal(await status('store', { query, headers, body: compress(store) }), 200, encoding);
      }
      const unknown = { query, headers: { 'content-encoding': 'lzma' }, body: store };
      assert.equal(await status('store', unknown), 415);
      for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
        const headers = { 'content-encoding': encoding };
        assert.equal(await status('store', { query, headers, body: 'not compressed at all' }), 400, encoding);
        const cut = gzipSync(store).subarray(0, 12);
        assert.equal(await status('envelope', { query, headers, body: cut }), 400, encoding);
      }
    });

    it('is limited after decompression', async () => {
      const query = `?sentry_key=${tracked.key}`;
      const blank = Buffer.alloc(4 * MiB, 0x20);
      const bombs: [string, Buffer][] = [
        ['gzip', gzipSync(blank)],
        ['br', brotliCompressSync(blank, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
        ['zstd', zstdCompressSync(blank)],
        ['deflate', deflateSync(blank)],
      ];
      for (const [encoding, body] of bombs) {
        assert.equal(await status('store', { query, headers: { 'content-encoding': encoding }, body }), 413, encoding);
      }
      const attachment = `{}\n{"type":"attachment","length":${21 * MiB}}\n`;
      const padded = gzipSync(Buffer.concat([Buffer.from(attachment), Buffer.alloc(21 * MiB, 0x20)]));
      assert.equal(await status('envelope', { query, headers: { 'content-encoding': 'gzip' }, body: padded }), 413);
      const long = JSON.stringify({ message: 'x'.repeat(10 * MiB) });
      assert.equal(await status('store', { body: long }), 413);
      assert.equal(await status('envelope', { body: envelopeOf({ message: 'x'.repeat(2 * MiB) }) }), 413);
    });

    it('is rejected if malformed', async () => {
      const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`;
      const broken: [string, string][] = [
        ['envelope', ''],
        ['envelope', 'x'],
        ['envelope', `{}\n{"type":"event","length":5}\n${store}\n`],
        ['envelope', `{}\n{"type":"event","length":5000}\n${store}\n`],
        ['envelope', '{}\n{"type":"event"}\n[]\n'],
        ['envelope', `{}\n{"type":"event"}\n${deep}\n`],
        ['store', ''],
        ['store', '[]'],
        ['store', '"x"'],
        ['store', '{"message":'],
        ['store', deep],
      ];
      for (const [endpoint, body] of broken) {
        const answer = await send(server, tracked, endpoint, { body });
        assert.equal(answer.status, 400, `${endpoint} ${body.slice(0, 60)}`);
        assert.match(answer.body.message, /^400 Bad request - /);
        assert.equal(answer.body.detail, answer.body.message);
      }
    });

    it('may contain items other than events', async () => {
      const bodies = [
        '{}\n',
        '{}\n{"type":"session"}\n{"started":"2024-01-01T00:00:00Z","attrs":{"release":"a@1"}}',
        '{}\n{"type":"sessions","length":2}\n{}\n',
        '{}\n{"type":"client_report"}\n{"discarded_events":[]}\n',
        '{}\n{"type":"attachment","length":3}\n\0\n\xff\n',
        '{}\n{"type":"something new"}\nx',
      ];
      for (const body of bodies) {
        const answer = await send(server, tracked, 'envelope', { body: Buffer.from(body, 'latin1') });
        assert.deepEqual([answer.status, answer.text], [200, '{}'], body);
      }
      const id = eventId();
      const transaction = await send(server, tracked, 'envelope', {
        body: `{"event_id":"${id}"}\n{"type":"transaction"}\n{}\n`,
      });
      assert.deepEqual([transaction.status, transaction.body], [200, { id }]);
      const kept = /^3600:transaction;.*:key:unsupported$/;
      assert.match(transaction.headers.get('x-sentry-rate-limits') ?? '', kept);
      for (const type of ['span', 'profile', 'profile_chunk', 'replay_event', 'replay_recording', 'log']) {
        const much = await send(server, tracked, 'envelope', { body: `{}\n{"type":"${type}"}\n{}\n` });
        assert.match(much.headers.get('x-sentry-rate-limits') ?? '', kept, type);
      }
      assert.equal(await status('store', { body: JSON.stringify({ type: 'transaction' }) }), 200);
    });

    it('may be chunked and have any content type', async () => {
      const usual = ['application/json', 'text/plain;charset=UTF-8', 'application/x-sentry-envelope'];
      const types = [undefined, ...usual, 'x', 'a/b/c;;', 'application/x-sentry-envelope;;'];
      for (const type of types) {
        const url = `${server.url}/errortracking/api/v1/projects/api/${tracked.project.id}/envelope/?sentry_key=${tracked.key}`;
        const [code] = await new Promise<[number | undefined]>((resolve, reject) => {
          const headers = type === undefined ? {} : { 'content-type': type };
          const sending = request(url, { method: 'POST', headers }, (answer) => {
            answer.resume();
            resolve([answer.statusCode]);
          });
          sending.on('error', reject);
          for (const part of envelope().match(/.{1,40}/gs) ?? []) sending.write(part);
          sending.end();
        });
        assert.equal(code, 200, type);
      }
      const headers = { 'content-type': 'application/x-sentry-envelope' };
      const query = `?sentry_key=${tracked.key}`;
      assert.equal(await status('store', { body: envelope(), headers, query }), 200);
    });
  });

  describe('received event', () => {
    it('is counted once, by error and by user', async () => {
      const own = await addTracked(server, owner);
      const first = exceptionEvent({ user: { id: 1 } });
      await report(server, own, first);
      await report(server, own, first);
      await report(server, own, exceptionEvent({ user: { id: '1' } }));
      await report(server, own, exceptionEvent({ user: { email: 'a@x.org' } }));
      await report(server, own, { ...exceptionEvent(), exception: [{ type: 'Other', value: 'x' }] });
      await counted(server);
      await report(server, own, first);
      await counted(server);
      const rows = await errorsIn(server, own);
      assert.deepEqual(
        rows.map(({ title, event_count, user_count, culprit }) => [title, event_count, user_count, culprit]),
        [
          ['ValueError: bad', 3, 2, 'work(app.work)'],
          ['Other: x', 1, 0, '<unknown>'],
        ],
      );
    });

    it('is grouped into one error when many arrive concurrently', async () => {
      const own = await addTracked(server, owner);
      await atOnce(60, (index) => report(server, own, exceptionEvent({ user: { id: index % 7 } })));
      await counted(server);
      const rows = await errorsIn(server, own);
      assert.deepEqual(
        rows.map(({ event_count, user_count, kept_events }) => [event_count, user_count, kept_events]),
        [[60, 7, 60]],
      );
    });

    it('does not block others by releases and environments that the database stores alike', async () => {
      const own = await addTracked(server, owner);
      await atOnce(20, (index) => {
        const lone = String.fromCharCode(0xd800 + index);
        return report(server, own, exceptionEvent({ release: `r${lone}`, environment: `e${lone}` }));
      });
      await report(server, own, exceptionEvent());
      await counted(server);
      const [row] = await errorsIn(server, own);
      const { releases, environments } = await server.must(
        `GET /projects/${own.project.id}/error_tracking/errors/${row?.fingerprint}`,
      );
      assert.equal(row?.event_count, 21);
      const values = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
      assert.deepEqual([values(releases), values(environments)], [['r\ufffd'], ['e\ufffd', 'production'].sort()]);
    });

    it('has one ID regardless of dashes', async () => {
      const own = await addTracked(server, owner);
      const id = eventId();
      const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
      const body = envelopeOf({ ...exceptionEvent(), event_id: id }, { event_id: dashed });
      assert.deepEqual((await send(server, own, 'envelope', { body })).body, { id });
      assert.deepEqual((await send(server, own, 'store', { body: JSON.stringify({ event_id: id }) })).body, { id });
      await counted(server);
      assert.deepEqual(
        (await errorsIn(server, own)).map((row) => row.event_count),
        [1],
      );
    });

    it('reopens a resolved error but not an ignored one', async () => {
      const own = await addTracked(server, owner);
      await report(server, own, exceptionEvent());
      await counted(server);
      for (const [status, expected] of [
        ['resolved', 'unresolved'],
        ['ignored', 'ignored'],
      ] as const) {
        await server.db.write((trx) =>
          trx.updateTable('error_tracking_errors').set({ status }).where('project_id', '=', own.project.id).execute(),
        );
        await report(server, own, exceptionEvent());
        await counted(server);
        assert.equal((await errorsIn(server, own))[0]?.status, expected);
      }
    });

    it('goes to the overflow error if there are too many new errors', async () => {
      const own = await addTracked(server, owner);
      await report(server, own, { message: 'm', fingerprint: ['first'] });
      await counted(server);
      const [{ id: _, ...row } = assert.fail()] = await errorsIn(server, own);
      const copies = Array.from({ length: 997 }, (_one, index) => ({ ...row, fingerprint: `${index + 1}` }));
      for (const part of [copies.slice(0, 500), copies.slice(500)]) {
        await server.db.write((trx) => trx.insertInto('error_tracking_errors').values(part).execute());
      }
      await atOnce(13, (index) => report(server, own, { message: 'm', fingerprint: [`new ${index}`] }));
      await report(server, own, { message: 'm', fingerprint: ['first'] });
      await counted(server);
      await report(server, own, { message: 'm', fingerprint: ['one more'] });
      await counted(server);
      const rows = await errorsIn(server, own);
      const rest = rows.find(({ fingerprint }) => fingerprint === '0');
      assert.deepEqual([rows.length, rest?.title, rest?.event_count], [1001, 'Too many new errors', 12]);
    });
  });

  it('a rejected request does not block the next one on the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = `${server.url}/api/${tracked.project.id}/envelope/?sentry_key=${tracked.key}`;
    const answered = (body: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sending = request(path, { method: 'POST', agent }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        });
        sending.on('error', reject).end(body);
      });
    try {
      assert.equal(await answered(`{}\n${'{"type":"x","length":0}\n\n'.repeat(30_000)}`), 400);
      assert.equal(await answered(envelope()), 200);
    } finally {
      agent.destroy();
    }
  });
});
