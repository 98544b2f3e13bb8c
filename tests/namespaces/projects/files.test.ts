import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const png: Buffer<ArrayBuffer> = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function form(field: string, name: string, content: Buffer<ArrayBuffer> | string, type?: string): FormData {
  const data = new FormData();
  data.set(field, new Blob([content], type ? { type } : {}), name);
  return data;
}

forEachEngine((engine) => {
  describe('project files', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      project = await addProject(server, ann, 'filed', 'public');
    });

    describe('uploads', () => {
      const upload = (body: FormData, person: Person | null = ann) =>
        server.api(`POST /projects/${project.id}/uploads`, { body, token: person?.token ?? null });

      it('are stored, served, listed and deleted', async () => {
        const answer = await upload(form('file', 'my cat.png', png, 'image/png'));
        assert.equal(answer.status, 201, answer.text);
        const { id, url, alt, markdown, full_path } = answer.body;
        assert.match(url, /^\/uploads\/[0-9a-f]{32}\/my_cat\.png$/);
        assert.deepEqual([alt, markdown], ['my_cat', `![my_cat](${url})`]);
        assert.equal(full_path, `/-/project/${project.id}${url}`);
        const shown = await fetch(`${server.url}/api/v4/projects/${project.id}${url}`);
        assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
        assert.equal(shown.headers.get('content-type'), 'image/png');
        const page = await fetch(server.url + full_path);
        assert.deepEqual(Buffer.from(await page.arrayBuffer()), png);
        const [listed] = await server.must(`GET /projects/${project.id}/uploads`, ann);
        assert.deepEqual([listed.id, listed.size], [id, png.length]);
        const { username, name } = ann.user;
        assert.deepEqual(listed.uploaded_by, { id: ann.user.id, username, public_email: null, name });
        assert.equal((await server.api(`GET /projects/${project.id}/uploads/${id}`, ann)).status, 200);
        const { statistics } = await server.must(`GET /projects/${project.id}?statistics=true`, ann);
        assert.equal(statistics.uploads_size, png.length);
        assert.equal((await server.api(`DELETE /projects/${project.id}${url}`, ann)).status, 204);
        assert.equal((await server.api(`DELETE /projects/${project.id}/uploads/${id}`, ann)).status, 404);
        assert.equal((await server.api(`GET /projects/${project.id}${url}`, ann)).status, 404);
      });

      it('are never executed by a browser', async () => {
        const { url } = (await upload(form('file', 'x.html', '<script>', 'text/html'))).body;
        const answer = await fetch(`${server.url}/api/v4/projects/${project.id}${url}`);
        assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
        assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="x.html"/);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
        await answer.arrayBuffer();
      });

      it('have a content type derived from the name, not from the uploader', async () => {
        const { url, full_path } = (await upload(form('file', 'x.png', '<script>', 'text/html'))).body;
        for (const address of [`/api/v4/projects/${project.id}${url}`, full_path]) {
          const { headers, text } = await server.api(`GET ${address}`, { token: null });
          assert.deepEqual([headers.get('content-type'), text], ['image/png', '<script>']);
          assert.equal(headers.get('x-content-type-options'), 'nosniff');
          assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
        }
      });

      it('are public if the project says so and they are images', async () => {
        const hidden = await addProject(server, ann, 'hidden-files');
        const address = `POST /projects/${hidden.id}/uploads`;
        const send = async (body: FormData) => (await server.must(address, { body, token: ann.token })).full_path;
        const picture = await send(form('file', 'cat.png', png, 'image/png'));
        const text = await send(form('file', 'notes.txt', 'x'));
        const status = async (path: string) => (await server.api(`GET ${path}`, { token: null })).status;
        assert.deepEqual([await status(picture), await status(text)], [404, 404]);
        const json = { enforce_auth_checks_on_uploads: false };
        await server.must(`PUT /projects/${hidden.id}`, { json, token: ann.token });
        assert.deepEqual([await status(picture), await status(text)], [200, 404]);
        assert.equal(await status(picture.replace(/uploads\/./, 'uploads/x')), 404);
      });

      it('require the corresponding permissions', async () => {
        const answer = await upload(form('file', 'a.txt', 'x'), bob);
        assert.equal(answer.status, 201);
        assert.equal((await server.api(`GET /projects/${project.id}/uploads`, bob)).status, 403);
        assert.equal((await server.api(`DELETE /projects/${project.id}${answer.body.url}`, bob)).status, 403);
        assert.equal((await upload(form('file', 'a.txt', 'x'), null)).status, 401);
        const secret = await addProject(server, ann, 'secret');
        const hidden = await server.api(`POST /projects/${secret.id}/uploads`, {
          body: form('file', 'a.txt', 'x'),
          token: ann.token,
        });
        assert.equal((await server.api(`GET /projects/${secret.id}${hidden.body.url}`, bob)).status, 404);
        assert.equal((await server.api(`GET /projects/${project.id}${hidden.body.url}`, ann)).status, 404);
        assert.equal((await server.api(`GET ${hidden.body.full_path}`, { token: null })).status, 404);
        assert.equal((await server.api(`GET ${hidden.body.full_path}`, ann)).status, 200);
        const missing = await server.api(`POST /projects/${project.id}/uploads`, { json: {}, token: ann.token });
        assert.deepEqual([missing.status, missing.body], [400, { error: 'file is missing' }]);
        const text = await server.api(`POST /projects/${project.id}/uploads`, {
          json: { file: 'x' },
          token: ann.token,
        });
        assert.deepEqual(text.body, { error: 'file is invalid' });
      });
    });

    describe('avatar', () => {
      it('can be set, served, replaced and removed', async () => {
        const call = `PUT /projects/${project.id}`;
        const set = await server.must(call, { body: form('avatar', 'logo.png', png), token: ann.token });
        assert.equal(set.avatar_url, `${server.url}/uploads/-/system/project/avatar/${project.id}/logo.png`);
        const shown = await fetch(`${server.url}/api/v4/projects/${project.id}/avatar`);
        assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
        const cleared = await server.must(call, { json: { avatar: '' }, token: ann.token });
        assert.equal(cleared.avatar_url, null);
        const none = await server.api(`GET /projects/${project.id}/avatar`, ann);
        assert.deepEqual([none.status, none.body], [404, { message: '404 Avatar Not Found' }]);
        const bad = await server.api(call, { body: form('avatar', 'logo.exe', png), token: ann.token });
        assert.equal(bad.status, 400);
        assert.match(bad.body.message.avatar[0], /^file format is not supported/);
      });
    });

    describe('topics', () => {
      const admin = (call: string, json?: object) => server.api(call, json ? { json } : {});

      it('are created with their projects and counted', async () => {
        const change = (topics: string[]) =>
          server.must(`PUT /projects/${project.id}`, { json: { topics }, token: ann.token });
        await change(['Rust', 'cli']);
        const [first] = await server.must('GET /topics?search=rus', { token: null });
        assert.deepEqual(
          [first.name, first.title, first.total_projects_count, first.avatar_url],
          ['Rust', 'Rust', 1, null],
        );
        assert.deepEqual((await change(['RUST'])).topics, ['Rust']);
        await change([]);
        assert.equal((await server.must(`GET /topics/${first.id}`)).total_projects_count, 0);
        const unused = await server.must('GET /topics?without_projects=true', { token: null });
        assert.equal(unused.length, 2);
      });

      it('have an avatar', async () => {
        const body = form('avatar', 'topic.png', png);
        for (const [field, value] of Object.entries({ name: 'seen', title: 'Seen' })) body.set(field, value);
        const { avatar_url } = await server.must('POST /topics', { body });
        const shown = await fetch(avatar_url);
        assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
      });

      it('are managed by administrators', async () => {
        const created = await admin('POST /topics', { name: 'db', title: 'Databases', description: 'd' });
        assert.equal(created.status, 201);
        assert.deepEqual((await admin('POST /topics', { name: 'DB', title: 'x' })).body, {
          message: { name: ['has already been taken'] },
        });
        assert.deepEqual((await admin('POST /topics', { name: 'x' })).body, { error: 'title is missing' });
        const other = await addProject(server, ann, 'with-topic', 'public');
        await server.must(`PUT /projects/${other.id}`, { json: { topics: 'db,orm' }, token: ann.token });
        await admin(`PUT /topics/${created.body.id}`, { name: 'data', title: 'Data' });
        const topics = async () => (await server.must(`GET /projects/${other.id}`, ann)).topics;
        assert.deepEqual(await topics(), ['data', 'orm']);
        const [orm] = await server.must('GET /topics?search=orm');
        const merged = await admin('POST /topics/merge', { source_topic_id: orm.id, target_topic_id: created.body.id });
        assert.deepEqual([merged.status, merged.body.total_projects_count], [201, 1]);
        assert.deepEqual(await topics(), ['data']);
        assert.equal((await admin(`DELETE /topics/${created.body.id}`)).status, 204);
        assert.deepEqual(await topics(), []);
        assert.deepEqual((await admin(`GET /topics/${created.body.id}`)).body, { message: '404 Not found' });
        const refused = await server.api('POST /topics', { json: { name: 'x', title: 'x' }, token: ann.token });
        assert.equal(refused.status, 403);
        assert.equal((await server.api('DELETE /topics/1', { token: null })).status, 401);
      });
    });

    it('checks access to Pages', async () => {
      assert.equal((await server.api(`GET /projects/${project.id}/pages_access`, bob)).status, 200);
      await server.must(`PUT /projects/${project.id}`, { json: { pages_access_level: 'private' }, token: ann.token });
      assert.equal((await server.api(`GET /projects/${project.id}/pages_access`, bob)).status, 403);
      assert.equal((await server.api(`GET /projects/${project.id}/pages_access`, ann)).status, 200);
    });
  });
});
