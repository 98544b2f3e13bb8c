import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';
import { addTracked, envelopeOf, exceptionEvent, send, startTracking, type Tracked } from '../tracking.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;

  before(async () => {
    server = await startTracking(engine, ['--error-key-rate', '3/1h', '--error-project-rate', '5/1h']);
    owner = await addPerson(server, 'owner');
  });

  const event = (tracked: Tracked) => send(server, tracked, 'envelope', { body: envelopeOf(exceptionEvent()) });
  const session = (tracked: Tracked) => send(server, tracked, 'envelope', { body: '{}\n{"type":"session"}\n{}' });

  describe('event quota', () => {
    it('tells SDKs how long to wait', async () => {
      const tracked = await addTracked(server, owner);
      for (let count = 0; count < 3; count += 1) {
        assert.equal((await session(tracked)).status, 200);
        assert.equal((await event(tracked)).status, 200);
      }
      const refused = await event(tracked);
      assert.equal(refused.status, 429);
      const seconds = refused.headers.get('retry-after') ?? '';
      assert.match(seconds, /^\d+$/);
      assert.equal(refused.headers.get('x-sentry-rate-limits'), `${seconds}::key:error-key`);
      assert.equal(refused.headers.get('access-control-allow-origin'), '*');
      const body = Buffer.alloc(8 * 1024 * 1024, 0x20);
      assert.equal((await send(server, tracked, 'store', { body })).status, 429);
    });

    it('has a project limit shared by all keys', async () => {
      const tracked = await addTracked(server, owner);
      const path = `/projects/${tracked.project.id}/error_tracking/client_keys`;
      const { public_key: key } = await server.must(`POST ${path}`);
      const other = { ...tracked, key };
      const answers = [];
      for (const sender of [tracked, tracked, tracked, other, other]) answers.push((await event(sender)).status);
      assert.deepEqual(answers, [200, 200, 200, 200, 200]);
      const refused = await event(other);
      assert.deepEqual(
        [refused.status, refused.headers.get('x-sentry-rate-limits')?.split('::')[1]],
        [429, 'project:error-project'],
      );
    });

    it('does not affect other projects', async () => {
      const [loud, quiet] = [await addTracked(server, owner), await addTracked(server, owner)];
      for (let count = 0; count < 5; count += 1) await event(loud);
      assert.equal((await event(loud)).status, 429);
      assert.equal((await event(quiet)).status, 200);
    });

    it('counts requests that are refused for their content, but not for the project', async () => {
      const malformed = ['{}\n{"type":"event"}\n{"a":\n', '{}\n{"type":"event","length":9}\n{}', 'x'];
      const tracked = await addTracked(server, owner);
      for (const body of malformed) assert.equal((await send(server, tracked, 'envelope', { body })).status, 400);
      const refused = await event(tracked);
      assert.deepEqual(
        [refused.status, refused.headers.get('x-sentry-rate-limits')?.split('::')[1]],
        [429, 'key:error-key'],
      );
      const { public_key: key } = await server.must(`POST /projects/${tracked.project.id}/error_tracking/client_keys`);
      const other = { ...tracked, key };
      for (const body of ['{', '[]']) assert.equal((await send(server, other, 'store', { body })).status, 400);
      assert.equal((await event(other)).status, 200);
      assert.equal((await event(other)).status, 429);
      // A tunnelled request has its key in the envelope.
      const tunnelled = await addTracked(server, owner);
      const header = JSON.stringify({ dsn: tunnelled.dsn });
      for (const status of [400, 400, 400, 429]) {
        const sent = { body: `${header}\n{"type":"event"}\n[]`, query: '?' };
        assert.equal((await send(server, tunnelled, 'envelope', sent)).status, status);
      }
    });

    it('has a higher limit for requests without events', async () => {
      const tracked = await addTracked(server, owner);
      for (let count = 0; count < 30; count += 1) assert.equal((await session(tracked)).status, 200);
      assert.equal((await session(tracked)).status, 429);
      assert.equal((await event(tracked)).status, 200);
    });
  });
});
