import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { deleteUnconfirmed } from '../../../../src/people/users/removal/unconfirmed.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

const day = 86_400_000;

forEachEngine((engine) => {
  describe('unconfirmed accounts', () => {
    let server: TestServer;
    const ids = new Map<string, number>();
    const now = Date.now();

    before(async () => {
      server = await startTestServer(engine);
      const cases = {
        unconfirmed: { added: 8 },
        fresh: { added: 6 },
        confirmed: { added: 8, confirmed_at: now },
        came: { added: 8, current_sign_in_at: now },
        called: { added: 8, last_activity_at: now },
        blocked: { added: 8, state: 'blocked' as const },
        waiting: { added: 8, state: 'blocked_pending_approval' as const },
        owner: { added: 8 },
      };
      for (const [name, { added, ...columns }] of Object.entries(cases)) {
        const { id } = await server.must('POST /users', {
          json: { username: name, name, email: `${name}@example.com`, force_random_password: true },
        });
        ids.set(name, id);
        await server.running.services.db.write((trx) =>
          trx
            .updateTable('users')
            .set({ created_at: now - added * day, ...columns })
            .where('id', '=', id)
            .execute(),
        );
      }
      const group = await server.must('POST /groups', { json: { name: 'owned', path: 'owned' } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: ids.get('owner'), access_level: 50 } });
      await server.must(`DELETE /groups/${group.id}/members/1`);
    });

    const present = async () => {
      const names: string[] = [];
      for (const [name, id] of ids) if ((await server.api(`GET /users/${id}`)).status === 200) names.push(name);
      return names;
    };
    const sweep = () => deleteUnconfirmed(server.running.services, new AbortController().signal, now);

    it('are kept unless deletion is enabled', async () => {
      await sweep();
      assert.deepEqual(await present(), [...ids.keys()]);
      const wrong = await server.api('PUT /application/settings', { json: { unconfirmed_users_delete_after_days: 0 } });
      assert.equal(wrong.status, 400);
    });

    it('are deleted unless they were used or are the sole owner of a group', async () => {
      await server.must('PUT /application/settings', { json: { delete_unconfirmed_users: true } });
      await sweep();
      const stay = ['fresh', 'confirmed', 'came', 'called', 'blocked', 'owner'];
      assert.deepEqual(await present(), stay);
      await server.must('PUT /application/settings', { json: { unconfirmed_users_delete_after_days: 5 } });
      await sweep();
      assert.deepEqual(await present(), stay.slice(1));
    });
  });
});
