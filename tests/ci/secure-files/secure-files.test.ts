import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('secure files', () => {
    let place: ProjectWithRoles;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${place.base}/secure_files${rest}`;
    const bytes = randomBytes(2000);
    const upload = async (name: string, content: Buffer, token = place.owner.token) => {
      const form = new FormData();
      form.set('name', name);
      form.set('file', new Blob([new Uint8Array(content)]), name);
      const headers = { 'private-token': token };
      const answer = await fetch(`${place.server.url}/api/v4${at()}`, { method: 'POST', body: form, headers });
      return { status: answer.status, body: await answer.json() } as Answer;
    };

    before(async () => {
      place = await projectWithRoles(engine, 'secretive');
    });

    it('are stored encrypted, and listed and downloaded by users who can run jobs', async () => {
      const created = await upload('key.p12', bytes);
      assert.equal(created.status, 201);
      assert.deepEqual(
        { ...created.body, id: 0, created_at: '' },
        {
          ...{ id: 0, name: 'key.p12', checksum: hash('sha256', bytes, 'hex'), checksum_algorithm: 'sha256' },
          ...{ created_at: '', expires_at: null, metadata: null, file_extension: 'p12' },
        },
      );
      const one = at(`/${created.body.id}`);
      assert.equal((await place.asDeveloper(`GET ${one}`)).body.name, 'key.p12');
      assert.equal((await place.asDeveloper(`GET ${at()}`)).body.length, 1);
      const headers = { 'private-token': place.developer.token };
      const back = await fetch(`${place.server.url}/api/v4${one}/download`, { headers });
      assert.deepEqual(Buffer.from(await back.arrayBuffer()), bytes);
      assert.equal(back.headers.get('content-disposition'), 'attachment; filename="key.p12"');
      const row = await place.server.db.read.selectFrom('secure_files').selectAll().executeTakeFirstOrThrow();
      assert.ok(!row.content.includes(bytes.toString('base64').slice(0, 40)));
      assert.equal((await place.asOwner(`DELETE ${one}`)).status, 204);
      assert.equal((await place.asOwner(`GET ${one}/download`)).status, 404);
    });

    it('reject unauthorized users and oversized, unnamed or duplicate files', async () => {
      assert.equal((await upload('a.key', bytes)).status, 201);
      assert.deepEqual(says(await upload('a.key', bytes)), [400, { name: ['has already been taken'] }]);
      assert.equal((await upload('../b', bytes)).status, 400);
      assert.equal((await upload('big', Buffer.alloc(5 * 1024 * 1024))).status, 413);
      assert.equal((await upload('mine', bytes, place.developer.token)).status, 403);
      assert.deepEqual(says(await place.asOwner(`POST ${at()}`, { json: { name: 'x' } })), [400, 'file is missing']);
      const asReporter = { token: place.reporter.token };
      assert.equal((await place.server.api(`GET ${at()}`, asReporter)).status, 403);
      assert.equal((await place.server.api(`GET ${at()}`, { token: null })).status, 401);
    });
  });
});
