import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { FileMissing } from '../../../src/platform/storage/storage.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, addToken, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const png: Buffer<ArrayBuffer> = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function form(name: string, fields: Record<string, string> = {}, content = png): FormData {
  const data = new FormData();
  data.set('file', new Blob([content]), name);
  for (const [field, value] of Object.entries(fields)) data.set(field, value);
  return data;
}

forEachEngine((engine) => {
  describe('metric images of incidents', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;

    const open = async (fields = '&issue_type=incident', into = project): Promise<number> =>
      (await server.must(`POST /projects/${into.id}/issues?title=Slow${fields}`, { token: owner.token })).iid;
    const images = (iid: number, into = project) => `/projects/${into.id}/issues/${iid}/metric_images`;
    const upload = (iid: number, body: FormData, person: Person | null = reporter, into = project) =>
      server.api(`POST ${images(iid, into)}`, { body, token: person?.token ?? null });
    const look = (path: string, person: Person | null) =>
      fetch(server.url + path, { headers: person ? { 'private-token': person.token } : {} });
    /** Storage keys of the stored files. */
    const stored = async () => {
      const rows = await server.db.read.selectFrom('issue_metric_images').select('file').execute();
      return rows.map(({ file }) => `avatars/${file.slice(0, 2)}/${file.slice(0, 32)}`);
    };
    const isGone = (key: string) =>
      server.running.services.storage.get(key).then(
        ({ stream }) => stream.destroy() && false,
        (error: unknown) => error instanceof FileMissing,
      );

    before(async () => {
      server = await startTestServer(engine);
      [owner, reporter, guest, outsider] = (await Promise.all(
        ['owner', 'reporter', 'guest', 'outsider'].map((name) => addPerson(server, name)),
      )) as [Person, Person, Person, Person];
      project = await addProject(server, owner, 'watched', 'public');
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
    });

    it('can be uploaded, listed, downloaded, updated and deleted', async () => {
      const iid = await open();
      const link = { url: 'https://charts.example.com/7?from=1', url_text: 'Latency' };
      const made = await upload(iid, form('last night.png', link));
      assert.equal(made.status, 201, made.text);
      const { id, created_at, ...rest } = made.body;
      assert.match(created_at, /^\d{4}-\d\d-\d\dT/);
      const file_path = `/uploads/-/system/issuable_metric_image/file/${id}/last_night.png`;
      assert.deepEqual(rest, { filename: 'last_night.png', file_path, ...link });
      const bare = (await upload(iid, form('b.WEBP'))).body;
      assert.deepEqual([bare.url, bare.url_text], [null, null]);
      assert.deepEqual(await server.must(`GET ${images(iid)}`, { token: null }), [made.body, bare]);

      const shown = await look(file_path, null);
      assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
      assert.equal(shown.headers.get('content-type'), 'image/png');
      assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
      assert.equal((await look(file_path.replace('last', 'first'), null)).status, 404);

      const at = `${images(iid)}/${id}`;
      const token = reporter.token;
      const changed = await server.must(`PUT ${at}`, { token, json: { url_text: 'p99', url: null } });
      assert.deepEqual(changed, { ...made.body, url_text: 'p99', url: null });
      assert.deepEqual(await server.must(`PUT ${at}`, { token, json: {} }), changed);

      const before = await stored();
      assert.equal((await server.api(`DELETE ${at}`, { token })).status, 204);
      const again = await server.api(`DELETE ${at}`, { token });
      assert.deepEqual([again.status, again.body], [404, { message: 'Metric image not found' }]);
      assert.equal((await server.api(`PUT ${at}`, { token, json: {} })).status, 404);
      assert.equal((await look(file_path, owner)).status, 404);
      assert.deepEqual(await server.must(`GET ${images(iid)}`, { token: null }), [bare]);
      await until(async () => (await stored()).length === before.length - 1);
      const left = await stored();
      for (const key of before) assert.equal(await isGone(key), !left.includes(key));
    });

    it('are only accepted on incidents', async () => {
      const iid = await open('');
      const refused = await upload(iid, form('a.png'));
      assert.deepEqual([refused.status, refused.body], [403, { message: 'Not allowed!' }]);
      assert.deepEqual(await server.must(`GET ${images(iid)}`, { token: null }), []);
    });

    it('are limited to images of 1 MB with http(s) links', async () => {
      const iid = await open();
      const megabyte = 1024 * 1024;
      const cases: readonly (readonly [FormData, string, RegExp])[] = [
        [form('page.svg'), 'file', /^file format is not supported/],
        [form('png'), 'file', /^file format is not supported/],
        [form('a.png', {}, Buffer.alloc(megabyte + 1)), 'file', /^is too big/],
        [form('a.png', { url: 'javascript:alert(1)' }), 'url', /valid URL/],
        [form('a.png', { url: 'charts' }), 'url', /valid URL/],
        [form('a.png', { url: `https://example.com/${'x'.repeat(255)}` }), 'url', /too long/],
        [form('a.png', { url_text: 'x'.repeat(129) }), 'url_text', /too long/],
      ];
      for (const [body, field, problem] of cases) {
        const { status, body: answer } = await upload(iid, body);
        assert.equal(status, 400);
        assert.match(answer.message[field][0], problem);
      }
      const token = reporter.token;
      const missing = await server.api(`POST ${images(iid)}`, { token, json: {} });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'file is missing' }]);
      const text = await server.api(`POST ${images(iid)}`, { token, json: { file: 'a.png' } });
      assert.deepEqual([text.status, text.body], [400, { error: 'file is invalid' }]);
      assert.deepEqual(await server.must(`GET ${images(iid)}`, { token: null }), []);
      assert.equal((await upload(iid, form('a.png', {}, Buffer.alloc(megabyte)))).status, 201);
      const [{ id }] = await server.must(`GET ${images(iid)}`, { token: null });
      const bad = await server.api(`PUT ${images(iid)}/${id}`, { token, json: { url: 'file:///etc/passwd' } });
      assert.deepEqual([bad.status, bad.body], [400, { message: { url: ['must be a valid URL'] } }]);
    });

    it('can be changed by users who can update any issue', async () => {
      const iid = await open();
      const { id } = (await upload(iid, form('a.png'))).body;
      const at = `${images(iid)}/${id}`;
      for (const [person, status] of [
        [guest, 403],
        [outsider, 403],
        [null, 401],
      ] as const) {
        const token = person?.token ?? null;
        assert.equal((await upload(iid, form('a.png'), person)).status, status);
        assert.equal((await server.api(`PUT ${at}`, { token, json: { url_text: 'x' } })).status, status);
        assert.equal((await server.api(`DELETE ${at}`, { token })).status, status);
      }
      const reading = await addToken(server, reporter.user, ['read_api']);
      assert.equal((await server.api(`DELETE ${at}`, { token: reading })).status, 403);
      assert.equal((await server.must(`GET ${images(iid)}`, { token: reading })).length, 1);
      const elsewhere = await server.api(`DELETE ${images(await open())}/${id}`, { token: reporter.token });
      assert.equal(elsewhere.status, 404);
    });

    it('are visible to users who can read the issue', async () => {
      const secret = await addProject(server, owner, 'secretly-watched');
      const hidden = await open(undefined, secret);
      const confidential = await open('&issue_type=incident&confidential=true');
      for (const [iid, place] of [
        [hidden, secret],
        [confidential, project],
      ] as const) {
        const { file_path, id } = (await upload(iid, form('a.png'), owner, place)).body;
        for (const person of [outsider, null]) {
          const token = person?.token ?? null;
          assert.equal((await server.api(`GET ${images(iid, place)}`, { token })).status, 404);
          assert.equal((await look(file_path, person)).status, 404);
        }
        const { token } = outsider;
        assert.equal((await upload(iid, form('a.png'), outsider, place)).status, 404);
        assert.equal((await server.api(`PUT ${images(iid, place)}/${id}`, { token, json: {} })).status, 404);
        assert.equal((await server.api(`DELETE ${images(iid, place)}/${id}`, { token })).status, 404);
        assert.equal((await look(file_path, owner)).status, 200);
      }
    });

    it('cannot be changed in an archived project', async () => {
      const old = await addProject(server, owner, 'once-watched');
      const iid = await open(undefined, old);
      const { id } = (await upload(iid, form('a.png'), owner, old)).body;
      await server.must(`POST /projects/${old.id}/archive`, { token: owner.token });
      assert.equal((await upload(iid, form('a.png'), owner, old)).status, 403);
      assert.equal((await server.api(`DELETE ${images(iid, old)}/${id}`, { token: owner.token })).status, 403);
      assert.equal((await server.must(`GET ${images(iid, old)}`, { token: owner.token })).length, 1);
    });

    it('are deleted with their issue and project, including files', async () => {
      const doomed = await addProject(server, owner, 'doomed');
      const [one, two] = [await open(undefined, doomed), await open(undefined, doomed)];
      const before = await stored();
      for (const iid of [one, two]) await upload(iid, form('a.png'), owner, doomed);
      const made = (await stored()).filter((key) => !before.includes(key));
      assert.equal(made.length, 2);
      await server.must(`DELETE /projects/${doomed.id}/issues/${one}`, { token: owner.token });
      await until(async () => (await stored()).length === before.length + 1);
      await server.must(`DELETE /projects/${doomed.id}`);
      const { path_with_namespace } = await server.must(`GET /projects/${doomed.id}`);
      await server.must(`DELETE /projects/${doomed.id}?permanently_remove=true&full_path=${path_with_namespace}`);
      await until(async () => (await stored()).length === before.length);
      for (const key of made) assert.equal(await isGone(key), true);
    });

    it('are deleted once, and never attached to a deleted issue', async () => {
      await inRounds(async () => {
        const iid = await open();
        const { id } = (await upload(iid, form('a.png'))).body;
        const answers = await atOnce(3, () => server.api(`DELETE ${images(iid)}/${id}`, { token: reporter.token }));
        assert.deepEqual(statuses(answers), { 204: 1, 404: 2 });
        const [put, deleted] = await Promise.all([
          upload(iid, form('b.png')),
          server.api(`DELETE /projects/${project.id}/issues/${iid}`, { token: owner.token }),
        ]);
        assert.ok(put.status === 201 || put.status === 404, put.text);
        assert.equal(deleted.status, 204);
      });
      await until(async () => {
        const rows = server.db.read.selectFrom('issue_metric_images').select('id').where('issue_id', 'is', null);
        return (await rows.execute()).length === 0;
      });
    });
  });
});
