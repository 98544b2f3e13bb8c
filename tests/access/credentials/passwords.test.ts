import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkPassword } from '../../../src/access/credentials/passwords.ts';
import type { Services } from '../../../src/access/services.ts';
import { setPassword } from '../../../src/people/users/public.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { createPasswords } from '../../../src/platform/secrets/password.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const cheap = createPasswords({ cost: { memory: 64, passes: 1, parallelism: 1 } });

forEachEngine((engine) => {
  describe('password sign-in', () => {
    let server: TestServer;
    let services: Services;
    let db: Database;

    const person = async (name: string) => {
      const { user } = await addPerson(server, name);
      await setPassword(services, user, 'right enough');
      return user;
    };
    const signIn = async (login: string, password: string) => (await checkPassword(services, login, password))?.id;
    const row = (id: number) => db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

    before(async () => {
      server = await startTestServer(engine, ['--password-attempts', '3']);
      services = { ...server.running.services, passwords: cheap };
      ({ db } = services);
    });

    it('accepts the user name or a confirmed email address, ignoring case', async () => {
      const user = await person('ann');
      const email = 'second@example.com';
      await server.must(`POST /users/${user.id}/emails`, { json: { email, skip_confirmation: true } });
      for (const login of [user.username.toUpperCase(), user.email, email]) {
        assert.equal(await signIn(login, 'right enough'), user.id, login);
      }
      await server.must('POST /user/emails', {
        token: (await addPerson(server, 'x')).token,
        json: { email: 'un@x.org' },
      });
      for (const login of ['nobody', 'nobody@example.com', 'un@x.org', '']) {
        assert.equal(await signIn(login, 'right enough'), undefined, login);
      }
      assert.equal(await signIn(user.username, 'wrong'), undefined);
    });

    it('fails for users without a password', async () => {
      const { user } = await addPerson(server, 'none');
      assert.equal(await signIn(user.username, ''), undefined);
    });

    it('locks the account after too many failures and shows that', async () => {
      const user = await person('guessed');
      for (let guess = 1; guess <= 2; guess++) await signIn(user.username, 'wrong');
      assert.equal(await signIn(user.username, 'right enough'), user.id);
      assert.equal((await row(user.id)).failed_attempts, 0);
      for (let guess = 1; guess <= 3; guess++) await signIn(user.username, 'wrong');
      assert.equal(await signIn(user.username, 'right enough'), undefined);
      assert.equal((await server.must(`GET /users/${user.id}`)).locked, true);
      await db.write((trx) => trx.updateTable('users').set({ locked_until: 1 }).where('id', '=', user.id).execute());
      assert.equal((await server.must(`GET /users/${user.id}`)).locked, false);
      assert.equal(await signIn(user.username, 'right enough'), user.id);
      assert.equal((await row(user.id)).locked_until, null);
    });

    it('counts concurrent attempts', async () => {
      const user = await person('flooded');
      await Promise.all(Array.from({ length: 20 }, () => signIn(user.username, 'wrong')));
      assert.equal(await signIn(user.username, 'right enough'), undefined);
    });

    it('rehashes a password stored with other cost parameters', async () => {
      const user = await person('old');
      const before = (await row(user.id)).password_digest;
      const costlier = createPasswords({ cost: { memory: 128, passes: 1, parallelism: 1 } });
      assert.ok(await checkPassword({ ...services, passwords: costlier }, user.username, 'right enough'));
      const after = (await row(user.id)).password_digest;
      assert.notEqual(after, before);
      assert.match(after ?? '', /m=128,/);
    });
  });
});
