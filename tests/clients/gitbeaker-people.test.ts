import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { sshKeys } from '../people/keys/specimens.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('gitbeaker users', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    it('creates a user with a token and a key and handles errors', async () => {
      const admin = new Gitlab({ host: server.url, token: rootToken });
      const user = await admin.Users.create({
        email: 'beaker@example.com',
        name: 'Beaker',
        username: 'beaker',
        password: 'meep meep meep',
        skipConfirmation: true,
      });
      assert.equal(user.username, 'beaker');
      const token = await admin.UserImpersonationTokens.create(user.id, 'as beaker', ['api'], {
        expiresAt: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
      });
      const own = new Gitlab({ host: server.url, token: token.token as string });
      assert.equal((await own.Users.showCurrentUser()).id, user.id);
      const key = await own.UserSSHKeys.create('laptop', sshKeys.ed25519.text);
      assert.deepEqual(
        (await own.UserSSHKeys.all()).map(({ id }) => id),
        [key.id],
      );
      const found = await own.Users.all({ username: 'beaker' });
      assert.equal(found[0]?.id, user.id);
      await own.PersonalAccessTokens.all().then((tokens) => assert.deepEqual(tokens, []));
      await assert.rejects(
        admin.Users.create({ email: 'beaker@example.com', name: 'B', username: 'b2', password: 'meep meep meep' }),
        /Email has already been taken/,
      );
      await assert.rejects(own.Users.remove(user.id), /403 Forbidden/);
      await admin.Users.block(user.id);
      await assert.rejects(own.Users.showCurrentUser(), /Your account has been blocked/);
    });

    it('paginates users by offset and cursor', async () => {
      const admin = new Gitlab({ host: server.url, token: rootToken });
      for (let count = 1; count <= 5; count++) {
        const username = `paged-${count}`;
        await admin.Users.create({ email: `${username}@x.org`, name: username, username, forceRandomPassword: true });
      }
      const offset = await admin.Users.all({ perPage: 2 });
      const keyset = await admin.Users.all({ perPage: 2, pagination: 'keyset', orderBy: 'username', sort: 'asc' });
      const names = (users: readonly { username: string }[]) => users.map(({ username }) => username);
      assert.equal(offset.length, 7);
      assert.deepEqual(names(keyset), names(offset).sort());
    });
  });
});
