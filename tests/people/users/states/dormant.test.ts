import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { deactivateDormant } from '../../../../src/people/users/states/dormant.ts';
import { addUser } from '../../../support/cast.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

const day = 86_400_000;

forEachEngine((engine) => {
  describe('dormant accounts', () => {
    let server: TestServer;
    const ids: Record<string, number> = {};
    const now = Date.now();

    before(async () => {
      server = await startTestServer(engine);
      const cases: Record<string, { added: number; here: number | null; signedIn: number | null; state?: 'blocked' }> =
        {
          away: { added: 200, here: 91, signedIn: null },
          here: { added: 200, here: 89, signedIn: null },
          signed: { added: 200, here: 120, signedIn: 3 },
          never: { added: 8, here: null, signedIn: null },
          fresh: { added: 6, here: null, signedIn: null },
          blocked: { added: 200, here: 150, signedIn: null, state: 'blocked' },
        };
      const ago = (days: number | null) => (days === null ? null : now - days * day);
      for (const [name, { added, here, signedIn, state = 'active' }] of Object.entries(cases)) {
        const { id } = await server.must('POST /users', {
          json: { username: name, name, email: `${name}@example.com`, force_random_password: true },
        });
        ids[name] = id;
        await server.running.services.db.write((trx) =>
          trx
            .updateTable('users')
            .set({
              created_at: now - added * day,
              last_activity_at: ago(here),
              current_sign_in_at: ago(signedIn),
              state,
            })
            .where('id', '=', id)
            .execute(),
        );
      }
    });

    const states = async () => {
      const users = await Promise.all(Object.values(ids).map((id) => server.must(`GET /users/${id}`)));
      return Object.fromEntries(users.map(({ username, state }) => [username, state]));
    };
    const sweep = () => deactivateDormant(server.running.services, new AbortController().signal, now);
    const messages = async () => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return all.filter((message) => message.includes('account has been deactivated'));
    };

    it('are kept unless deactivation is enabled', async () => {
      const before = await states();
      await sweep();
      assert.deepEqual(await states(), before);
    });

    it('are deactivated and their owners notified', async () => {
      const settings = { deactivate_dormant_users: true, deactivation_email_additional_text: 'Ask Mary.' };
      await server.must('PUT /application/settings', { json: settings });
      await sweep();
      assert.deepEqual(await states(), {
        away: 'deactivated',
        here: 'active',
        signed: 'active',
        never: 'deactivated',
        fresh: 'active',
        blocked: 'blocked',
      });
      await until(async () => (await messages()).length === 2);
      const [message = ''] = await messages();
      assert.match(message, /Ask Mary\./);
    });

    it('are not notified if disabled', async () => {
      await server.must('PUT /application/settings', { json: { user_deactivation_emails_enabled: false } });
      const { id } = await addUser(server, 'other');
      await server.running.services.db.write((trx) =>
        trx
          .updateTable('users')
          .set({ last_activity_at: now - 100 * day, current_sign_in_at: null })
          .where('id', '=', id)
          .execute(),
      );
      await server.must(`POST /users/${id}/deactivate`);
      await server.running.services.queue.drain();
      assert.equal((await messages()).length, 2);
    });
  });
});
