import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const png: Buffer<ArrayBuffer> = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function form(name: string, content: Buffer<ArrayBuffer> | string): FormData {
  const data = new FormData();
  data.set('file', new Blob([content]), name);
  return data;
}

forEachEngine((engine) => {
  describe('group uploads', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let maintainer: Person;
    let guest: Person;
    let minimal: Person;
    let open: { id: number };
    let closed: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      [ann, bob, maintainer, guest, minimal] = (await Promise.all(
        (['ann', 'bob', 'maintainer', 'guest', 'minimal'] as const).map((name) => addPerson(server, name)),
      )) as [Person, Person, Person, Person, Person];
      const make = (path: string, visibility: string) =>
        server.must('POST /groups', { token: ann.token, json: { name: path, path, visibility } });
      open = await make('open', 'public');
      closed = await make('closed', 'private');
      const roles = [
        [maintainer, 40],
        [guest, 10],
        [minimal, 5],
      ] as const;
      for (const [{ user }, access_level] of roles) {
        await server.must(`POST /groups/${closed.id}/members`, { json: { user_id: user.id, access_level } });
      }
    });

    const upload = (group: { id: number }, person: Person | null, name = 'plan.png') =>
      server.api(`POST /groups/${group.id}/uploads`, { body: form(name, png), token: person?.token ?? null });
    const status = async (call: string, person: Person | null) =>
      (await server.api(call, { token: person?.token ?? null })).status;

    it('are stored, served, listed and deleted', async () => {
      const answer = await upload(open, ann, 'my plan.png');
      assert.equal(answer.status, 201, answer.text);
      const { id, url, alt, markdown, full_path } = answer.body;
      assert.match(url, /^\/uploads\/[0-9a-f]{32}\/my_plan\.png$/);
      assert.deepEqual([alt, markdown, full_path], ['my_plan', `![my_plan](${url})`, `/-/group/${open.id}${url}`]);
      for (const address of [`/api/v4/groups/${open.id}${url}`, full_path]) {
        const shown = await fetch(server.url + address);
        assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
        assert.equal(shown.headers.get('content-type'), 'image/png');
        assert.match(shown.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      }
      const second = (await upload(open, ann)).body;
      const listed = await server.must(`GET /groups/${open.id}/uploads`, ann);
      const shown = listed.map((one: { id: number; filename: string; size: number }) => [
        one.id,
        one.filename,
        one.size,
      ]);
      assert.deepEqual(shown, [
        [second.id, 'plan.png', png.length],
        [id, 'my_plan.png', png.length],
      ]);
      const { username, name } = ann.user;
      assert.deepEqual(listed[0].uploaded_by, { id: ann.user.id, username, public_email: null, name });
      assert.equal((await server.must(`GET /groups/${open.id}/uploads?per_page=1`, ann)).length, 1);
      assert.equal(await status(`GET /groups/${open.id}/uploads/${id}`, ann), 200);
      assert.equal(await status(`DELETE /groups/${open.id}/uploads/${id}`, ann), 204);
      assert.equal(await status(`DELETE /groups/${open.id}${url}`, ann), 404);
      assert.equal(await status(`GET ${full_path}`, ann), 404);
      assert.equal(await status(`DELETE /groups/${open.id}${second.url}`, ann), 204);
      assert.deepEqual(await server.must(`GET /groups/${open.id}/uploads`, ann), []);
    });

    it('require the corresponding permissions', async () => {
      const { id, url, full_path } = (await upload(closed, guest)).body;
      const one = `/groups/${closed.id}/uploads/${id}`;
      for (const reader of [ann, maintainer, guest]) {
        assert.equal(await status(`GET /groups/${closed.id}${url}`, reader), 200);
        assert.equal(await status(`GET ${full_path}`, reader), 200);
      }
      for (const call of [
        `GET /groups/${closed.id}/uploads`,
        `GET ${one}`,
        `DELETE ${one}`,
        `DELETE /groups/${closed.id}${url}`,
      ]) {
        assert.equal(await status(call, guest), 403, call);
        assert.equal(await status(call, bob), 404, call);
        assert.ok([401, 404].includes(await status(call, null)), call);
      }
      for (const nobody of [bob, null]) {
        assert.equal(await status(`GET /groups/${closed.id}${url}`, nobody), 404);
        assert.equal(await status(`GET ${full_path}`, nobody), 404);
      }
      // Members with minimal access can see the group but not read anything in it.
      assert.equal(await status(`GET /groups/${closed.id}${url}`, minimal), 403);
      assert.equal(await status(`GET ${full_path}`, minimal), 404);
      assert.equal((await upload(closed, minimal)).status, 403);
      assert.equal((await upload(closed, bob)).status, 404);
      assert.equal((await upload(open, bob)).status, 201);
      assert.equal((await upload(open, null)).status, 401);
      assert.equal(await status(`GET /groups/${open.id}/uploads`, bob), 403);
      // A file is not found through another group or a project with the same id.
      assert.equal(await status(`GET /groups/${open.id}${url}`, ann), 404);
      assert.equal(await status(`GET /groups/${open.id}/uploads/${id}`, ann), 404);
      assert.equal(await status(`GET ${full_path.replace('group', 'project')}`, ann), 404);
      assert.equal(await status(`DELETE ${one}`, maintainer), 204);
    });

    it('reject missing and too large files', async () => {
      const send = (json: object) => server.api(`POST /groups/${open.id}/uploads`, { json, token: ann.token });
      assert.deepEqual((await send({})).body, { error: 'file is missing' });
      assert.deepEqual((await send({ file: 'x' })).body, { error: 'file is invalid' });
      await server.must('PUT /application/settings', { json: { max_attachment_size: 1 } });
      const large = form('large.txt', 'x'.repeat(1024 * 1024 + 1));
      const answer = await server.api(`POST /groups/${open.id}/uploads`, { body: large, token: ann.token });
      assert.equal(answer.status, 413);
      await server.must('PUT /application/settings', { json: { max_attachment_size: 100 } });
    });

    it('are embedded by texts of the group, like its references', async () => {
      const { url, full_path, markdown } = (await upload(open, ann)).body;
      const epic = await server.must(`POST /groups/${open.id}/epics`, { json: { title: 'Plan' }, token: ann.token });
      const json = { text: `${markdown} and &${epic.iid}`, gfm: true, group: 'open' };
      const { html } = await server.must('POST /markdown', { json, token: ann.token });
      assert.ok(html.includes(`src="${full_path}"`), html);
      assert.match(html, /href="\/groups\/open\/-\/epics\/1"/);
      assert.doesNotMatch(html, new RegExp(`"${url}"`));
      const hidden = await server.api('POST /markdown', { json: { ...json, group: 'closed' }, token: bob.token });
      assert.equal(hidden.status, 404);
    });

    it('are deleted with their group', async () => {
      const inner = await server.must('POST /groups', {
        json: { name: 'inner', path: 'inner', parent_id: closed.id },
        token: ann.token,
      });
      await upload(inner, ann);
      const rows = await server.db.read
        .selectFrom('uploads')
        .selectAll()
        .where('namespace_id', '=', inner.id)
        .execute();
      assert.equal(rows.length, 1);
      const { storage, queue } = server.running.services;
      await server.must(`DELETE /groups/${inner.id}`, ann);
      const { full_path } = await server.must(`GET /groups/${inner.id}`, ann);
      const confirmed = `permanently_remove=true&full_path=${encodeURIComponent(full_path)}`;
      await server.must(`DELETE /groups/${inner.id}?${confirmed}`, ann);
      await queue.drain();
      const ids = rows.map((row) => row.id);
      assert.deepEqual(await server.db.read.selectFrom('uploads').select('id').where('id', 'in', ids).execute(), []);
      await assert.rejects(storage.get(rows[0]?.storage_key ?? ''));
    });
  });
});
