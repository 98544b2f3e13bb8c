import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { gpgKeys, sshKeys } from './specimens.ts';

forEachEngine((engine) => {
  describe('SSH and GPG keys', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    const refusal = async (call: string, token: string | null | undefined, json?: object) => {
      const { status, body } = await server.api(call, {
        ...(token === undefined ? {} : { token }),
        ...(json ? { json } : {}),
      });
      return [status, body];
    };
    const add = (person: Person, json: object) => server.must('POST /user/keys', { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
    });

    it('adds, lists and deletes SSH keys', async () => {
      const { text } = sshKeys.ed25519;
      const created = await add(ann, { title: ' laptop ', key: `${text}\n`, expires_at: '2090-01-02' });
      const { created_at, ...rest } = created;
      assert.ok(created_at);
      assert.deepEqual(rest, {
        id: created.id,
        title: 'laptop',
        expires_at: '2090-01-02T00:00:00.000Z',
        last_used_at: null,
        key: text,
        usage_type: 'auth_and_signing',
      });
      const own = { token: ann.token };
      assert.deepEqual(await server.must('GET /user/keys', own), [created]);
      assert.deepEqual(await server.must(`GET /user/keys/${created.id}`, own), created);
      assert.deepEqual(await server.must(`GET /users/${ann.user.username}/keys`, { token: null }), [created]);
      assert.deepEqual(await server.must(`GET /users/${ann.user.id}/keys`, { token: null }), [created]);
      assert.deepEqual(await server.must(`GET /users/${ann.user.id}/keys/${created.id}`, { token: null }), created);
      const missing = [404, { message: '404 Key Not Found' }];
      assert.deepEqual(await refusal(`DELETE /user/keys/${created.id}`, bob.token), missing);
      const stale = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' };
      assert.equal((await server.api(`DELETE /user/keys/${created.id}`, { ...own, headers: stale })).status, 412);
      assert.equal((await server.api(`DELETE /user/keys/${created.id}`, own)).status, 204);
      assert.deepEqual(await refusal(`GET /user/keys/${created.id}`, ann.token), missing);
      assert.deepEqual(await refusal('GET /users/nobody/keys', null), [404, { message: '404 User Not Found' }]);
      const reader = await addToken(server, ann.user, ['read_user']);
      await server.must('GET /user/keys', { token: reader });
      assert.equal((await refusal('POST /user/keys', reader, { title: 't', key: text }))[0], 403);
    });

    it('allows an SSH key for one account only', async () => {
      const key = sshKeys.rsa.text;
      await add(ann, { title: 'one', key, usage_type: 'auth' });
      const taken = { message: { fingerprint_sha256: ['has already been taken'] } };
      // A different comment does not make a different key.
      const again = { title: 'two', key: `${key}-else` };
      assert.deepEqual(await refusal('POST /user/keys', bob.token, again), [400, taken]);
      const answers = await Promise.all(
        [1, 2, 3].map(() =>
          server.api('POST /user/keys', { token: ann.token, json: { title: 't', key: sshKeys.ecdsa384.text } }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400]);
    });

    it('rejects malformed and weak SSH keys', async () => {
      const post = (json: object) => refusal('POST /user/keys', ann.token, json);
      assert.deepEqual(await post({}), [400, { error: 'title is missing, key is missing' }]);
      assert.deepEqual(await post({ title: ' ', key: 'nonsense' }), [
        400,
        { message: { title: ["can't be blank"], key: ['is invalid'] } },
      ]);
      const { text } = sshKeys.ecdsa256;
      assert.deepEqual(await post({ title: 't', key: text, expires_at: '2001-01-01' }), [
        400,
        { message: { key: ['has expired'] } },
      ]);
      assert.deepEqual(await post({ title: 't', key: text, usage_type: 'any' }), [
        400,
        { error: 'usage_type does not have a valid value' },
      ]);
      assert.deepEqual(await post({ title: 't', key: sshKeys.shortRsa.text }), [
        400,
        { message: { key: ['must be at least 2048 bits'] } },
      ]);
    });

    it('lets administrators look up SSH keys', async () => {
      const { text, sha256, md5 } = sshKeys.ecdsa521;
      const path = `/users/${bob.user.id}/keys`;
      assert.equal((await refusal(`POST ${path}`, ann.token, { title: 't', key: text }))[0], 403);
      const created = await server.must(`POST ${path}`, { json: { title: 'by admin', key: text } });
      const found = await server.must(`GET /keys/${created.id}`);
      assert.deepEqual(
        [found.id, found.user.username, found.user.email],
        [created.id, bob.user.username, bob.user.email],
      );
      for (const print of [sha256, md5, `MD5:${md5}`]) {
        const { id } = await server.must(`GET /keys?fingerprint=${encodeURIComponent(print)}`);
        assert.equal(id, created.id, print);
      }
      assert.deepEqual(await refusal('GET /keys/999999', undefined), [404, { message: '404 Key Not Found' }]);
      const unknown = encodeURIComponent(`SHA256:${'A'.repeat(43)}`);
      assert.deepEqual(await refusal(`GET /keys?fingerprint=${unknown}`, undefined), [
        404,
        { message: '404 Key Not Found' },
      ]);
      assert.deepEqual(await refusal('GET /keys?fingerprint=abc', undefined), [
        400,
        { message: 'Failed to return the key' },
      ]);
      assert.deepEqual(await refusal('GET /keys', undefined), [400, { error: 'fingerprint is missing' }]);
      assert.equal((await refusal(`GET /keys/${created.id}`, bob.token))[0], 403);
      assert.equal((await server.api(`DELETE ${path}/${created.id}`)).status, 204);
    });

    it('adds, lists, revokes and deletes GPG keys', async () => {
      const key = gpgKeys.ada.text;
      const own = { token: ann.token };
      const created = await server.must('POST /user/gpg_keys', { ...own, json: { key: `${key}\n` } });
      assert.equal(created.key, key);
      assert.deepEqual(await server.must('GET /user/gpg_keys', own), [created]);
      assert.deepEqual(await server.must(`GET /users/${ann.user.id}/gpg_keys`, { token: null }), [created]);
      assert.deepEqual(await server.must(`GET /users/${ann.user.id}/gpg_keys/${created.id}`, { token: null }), created);
      const taken = ['has already been taken'];
      assert.deepEqual(await refusal('POST /user/gpg_keys', bob.token, { key }), [
        400,
        { message: { fingerprint: taken, primary_keyid: taken } },
      ]);
      const [status, body] = await refusal('POST /user/gpg_keys', bob.token, { key: 'nonsense' });
      assert.equal(status, 400);
      assert.match(body.message.key[0], /^is invalid\. A valid public GPG key begins with/);
      assert.deepEqual(await refusal(`DELETE /user/gpg_keys/${created.id}`, bob.token), [
        404,
        { message: '404 GPG Key Not Found' },
      ]);
      assert.deepEqual(await refusal(`POST /user/gpg_keys/${created.id}/revoke`, ann.token), [202, 202]);
      assert.deepEqual(await server.must('GET /user/gpg_keys', own), []);
      const path = `/users/${bob.user.id}/gpg_keys`;
      assert.equal((await refusal(`POST ${path}`, ann.token, { key }))[0], 403);
      const { id } = await server.must(`POST ${path}`, { json: { key: gpgKeys.rsa.text } });
      assert.equal((await server.api(`DELETE ${path}/${id}`)).status, 204);
    });
  });
});
