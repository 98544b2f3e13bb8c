import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Area } from '../../src/access/area.ts';
import { Conflict } from '../../src/platform/http/errors.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { gpgKeys, sshKeys } from './keys/specimens.ts';

const password = 'correct horse battery staple';

forEachEngine((engine) => {
  describe('user events', () => {
    let server: TestServer;
    let heard: unknown[] = [];
    let refusing = false;

    const hear = (...what: unknown[]) => {
      heard.push(what);
      if (refusing) throw new Conflict('refused by a subscriber');
    };
    const listener: Area = {
      name: 'listener',
      on: {
        'user.created': async (_, __, { user }) => hear('created', user.username, user.kind),
        'user.updated': async (_, __, { user, before: was, changed }) =>
          hear('updated', was.username, user.username, [...changed].sort()),
        'user.state_changed': async (_, __, { user, from }) => hear('state', from, user.state),
        'user.leaving': async (_, __, { user, forced }) => hear('leaving', user.username, forced),
        'user.removed': async (_, trx, { user, heir }) => {
          const rows = await trx.selectFrom('users').select('id').where('id', '=', user.id).execute();
          hear('removed', user.username, heir?.kind ?? null, rows.length);
        },
        'email.confirmed': async (_, __, { email }) => hear('confirmed', email),
        'key.added': async (_, __, { kind, key }) => hear('key added', kind, key.user_id),
        'key.removed': async (_, __, { kind, key, revoked }) => hear('key removed', kind, key.user_id, revoked),
        'token.created': async (_, __, { token }) => hear('token created', token.name, token.user_id),
        'token.revoked': async (_, __, { token }) => hear('token revoked', token.name, token.revoked),
      },
    };

    const add = (username: string): Promise<{ id: number }> => {
      const json = { username, name: username, email: `${username}@example.com`, password, skip_confirmation: true };
      return server.must('POST /users', { json });
    };

    before(async () => {
      server = await startTestServer(engine, [], [listener]);
    });
    beforeEach(() => {
      heard = [];
      refusing = false;
    });

    it('announce a new user and the confirmed e-mail address', async () => {
      await add('nora');
      assert.deepEqual(heard, [
        ['confirmed', 'nora@example.com'],
        ['created', 'nora', 'human'],
      ]);
    });

    it('list the changed columns, and are not announced if nothing changed', async () => {
      const { id } = await add('olga');
      heard = [];
      await server.must(`PUT /users/${id}`, { json: { username: 'olga2', bio: 'Reads.', location: '' } });
      assert.deepEqual(heard, [['updated', 'olga', 'olga2', ['bio', 'username']]]);
      const { body } = await server.api(`GET /namespaces/olga2`);
      assert.equal(body.path, 'olga2');
      heard = [];
      await server.must(`PUT /users/${id}`, { json: { bio: 'Reads.' } });
      assert.deepEqual(heard, []);
    });

    it('announce a state change once', async () => {
      const { id } = await add('pia');
      heard = [];
      await server.must(`POST /users/${id}/block`);
      await server.must(`POST /users/${id}/block`);
      assert.deepEqual(heard, [
        ['updated', 'pia', 'pia', ['state']],
        ['state', 'active', 'blocked'],
      ]);
    });

    it('announce a deletion before the row is deleted, with the heir', async () => {
      const { id } = await add('quinn');
      const { id: other } = await add('rosa');
      heard = [];
      await server.must(`DELETE /users/${id}`);
      await server.must(`DELETE /users/${other}?hard_delete=true`);
      assert.deepEqual(
        heard.filter((what) => Array.isArray(what) && what[0] !== 'created'),
        [
          ['leaving', 'quinn', false],
          ['removed', 'quinn', 'ghost', 1],
          ['leaving', 'rosa', true],
          ['removed', 'rosa', null, 1],
        ],
      );
      assert.equal((await server.api(`GET /users/${id}`)).status, 404);
    });

    it('roll back the change when a handler throws', async () => {
      const { id } = await add('sven');
      refusing = true;
      const refused = [
        await server.api(`DELETE /users/${id}`),
        await server.api(`PUT /users/${id}`, { json: { bio: 'Refused.' } }),
        await server.api(`POST /users/${id}/keys`, { json: { title: 'key', key: sshKeys.rsa.text } }),
        await server.api(`POST /users/${id}/personal_access_tokens`, { json: { name: 'no', scopes: ['api'] } }),
      ];
      assert.deepEqual(
        refused.map(({ status }) => status),
        [409, 409, 409, 409],
      );
      refusing = false;
      assert.equal((await server.must(`GET /users/${id}`)).bio, '');
      assert.deepEqual(await server.must(`GET /users/${id}/keys`), []);
      assert.deepEqual(await server.must(`GET /personal_access_tokens?user_id=${id}`), []);
    });

    it('announce added, deleted and revoked keys', async () => {
      const { id } = await add('tove');
      heard = [];
      const ssh = await server.must(`POST /users/${id}/keys`, {
        json: { title: 'laptop', key: sshKeys.ed25519.text },
      });
      await server.must(`DELETE /users/${id}/keys/${ssh.id}`);
      const [key] = Object.values(gpgKeys);
      const gpg = await server.must(`POST /users/${id}/gpg_keys`, { json: { key: key?.text } });
      await server.must(`POST /users/${id}/gpg_keys/${gpg.id}/revoke`);
      assert.deepEqual(heard, [
        ['key added', 'ssh', id],
        ['key removed', 'ssh', id, false],
        ['key added', 'gpg', id],
        ['key removed', 'gpg', id, true],
      ]);
    });

    it('announce created, rotated and revoked tokens', async () => {
      const { id } = await add('ursa');
      heard = [];
      const json = { name: 'ci', scopes: ['api'] };
      const { id: first } = await server.must(`POST /users/${id}/personal_access_tokens`, { json });
      const { id: second } = await server.must(`POST /personal_access_tokens/${first}/rotate`);
      await server.must(`DELETE /personal_access_tokens/${second}`);
      await server.must(`DELETE /personal_access_tokens/${second}`);
      assert.deepEqual(heard, [
        ['token created', 'ci', id],
        ['token revoked', 'ci', 1],
        ['token created', 'ci', id],
        ['token revoked', 'ci', 1],
      ]);
    });
  });
});
