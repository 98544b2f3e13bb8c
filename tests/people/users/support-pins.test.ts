import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('support PINs', () => {
    let server: TestServer;
    let user: { id: number; token: string };
    let other: { id: number; token: string };

    before(async () => {
      server = await startTestServer(engine);
      [user, other] = [await addUser(server), await addUser(server)];
    });

    const own = (call: string, token: string | null = user.token) => server.api(`${call} /user/support_pin`, { token });
    const none = { message: 'Support PIN not found or expired' };

    it('are created by their owner for a week, replacing the previous one', async () => {
      const missing = await own('GET');
      assert.deepEqual([missing.status, missing.body], [404, none]);
      const { status, body } = await own('POST');
      assert.equal(status, 201);
      assert.match(body.pin, /^\d{6}$/);
      const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
      assert.ok(days > 6.9 && days <= 7);
      assert.deepEqual((await own('GET')).body, body);
      const again = (await own('POST')).body;
      assert.deepEqual((await own('GET')).body, again);
      const [row] = await server.db.read.selectFrom('user_support_pins').select('pin').execute();
      assert.doesNotMatch(row?.pin ?? '', new RegExp(again.pin), 'stored encrypted');
    });

    it('are visible to and revoked by administrators only', async () => {
      const theirs = `/users/${user.id}/support_pin`;
      for (const call of [`GET ${theirs}`, `POST ${theirs}/revoke`]) {
        assert.equal((await server.api(call, { token: other.token })).status, 403, call);
        assert.equal((await server.api(call, { token: user.token })).status, 403, call);
        assert.equal((await server.api(call, { token: null })).status, 401, call);
      }
      assert.equal((await own('GET', null)).status, 401);
      assert.equal((await own('GET', other.token)).status, 404);
      const seen = (await own('GET')).body;
      assert.deepEqual((await server.api(`GET ${theirs}`)).body, seen);
      assert.equal((await server.api('GET /users/999999/support_pin')).status, 404);
      assert.equal((await server.api(`POST ${theirs}/revoke`)).status, 204);
      assert.equal((await own('GET')).status, 404);
      assert.deepEqual((await server.api(`POST ${theirs}/revoke`)).body, none);
    });

    it('expire', async () => {
      await own('POST');
      await server.db.write((trx) =>
        trx
          .updateTable('user_support_pins')
          .set({ expires_at: Date.now() - 1 })
          .execute(),
      );
      assert.equal((await own('GET')).status, 404);
      assert.equal((await server.api(`GET /users/${user.id}/support_pin`)).status, 404);
      assert.equal((await server.api(`POST /users/${user.id}/support_pin/revoke`)).status, 404);
    });
  });
});
