import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readColor, textColor } from '../../../src/planning/labels/color.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('label colors', () => {
  const table: [string, string | undefined][] = [
    ['#fff', '#fff'],
    ['#A1b2C3', '#A1b2C3'],
    [' #123456 ', '#123456'],
    ['red', '#FF0000'],
    ['DarkGreen', '#006400'],
    ['#12345', undefined],
    ['#ggg', undefined],
    ['nosuchcolor', undefined],
    ['', undefined],
  ];
  for (const [given, stored] of table) it(`${given} -> ${stored}`, () => assert.equal(readColor(given), stored));

  it('have a legible text color', () => {
    assert.equal(textColor('#000000'), '#FFFFFF');
    assert.equal(textColor('#FFFFFF'), '#1F1E24');
    assert.equal(textColor('#ff0'), '#1F1E24');
    assert.equal(textColor('#336699'), '#FFFFFF');
  });
});

forEachEngine((engine) => {
  describe('labels', () => {
    let server: TestServer;
    let group: { id: number };
    let inner: { id: number };
    let project: { id: number; path_with_namespace: string };
    let roles: Record<'guest' | 'planner' | 'reporter', string>;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Outer', path: 'outer' } });
      inner = await server.must('POST /groups', { json: { name: 'Inner', path: 'inner', parent_id: group.id } });
      project = await server.must('POST /projects', { json: { name: 'It', path: 'it', namespace_id: inner.id } });
      const levels = { guest: 10, planner: 15, reporter: 20 };
      roles = { guest: '', planner: '', reporter: '' };
      for (const [role, level] of Object.entries(levels)) {
        const { id, token } = await addUser(server, role);
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: id, access_level: level } });
        roles[role as 'guest'] = token;
      }
    });

    const path = () => `/projects/${encodeURIComponent(project.path_with_namespace)}/labels`;

    it('can be created, read, updated and deleted in a project', async () => {
      const created = await server.api(`POST ${path()}`, {
        json: { name: ' bug ', color: 'red', description: 'broken <b>', priority: 3 },
      });
      assert.equal(created.status, 201);
      assert.deepEqual(created.body, {
        id: created.body.id,
        name: 'bug',
        description: 'broken <b>',
        description_html: 'broken &lt;b&gt;',
        text_color: '#FFFFFF',
        color: '#FF0000',
        archived: false,
        subscribed: false,
        priority: 3,
        is_project_label: true,
      });
      for (const name of [created.body.id, 'bug']) {
        assert.deepEqual((await server.must(`GET ${path()}/${name}`)).id, created.body.id);
      }
      const changed = await server.must(`PUT ${path()}/bug`, {
        json: { new_name: 'defect', color: '#00f', priority: null },
      });
      assert.deepEqual([changed.name, changed.color, changed.priority], ['defect', '#00f', null]);
      const old = await server.must(`PUT ${path()}`, { json: { name: 'defect', description: 'x' } });
      assert.equal(old.description, 'x');
      assert.equal((await server.api(`DELETE ${path()}/defect`)).status, 204);
      const deleted = await server.api(`GET ${path()}/defect`);
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Label Not Found' }]);
    });

    it('of groups are available in their projects', async () => {
      await server.must(`POST /groups/${group.id}/labels`, { json: { name: 'outer::one', color: '#abc' } });
      await server.must(`POST ${path()}`, { json: { name: 'own', color: '#abc' } });
      const names = async (call: string) => (await server.must(call)).map((label: { name: string }) => label.name);
      assert.deepEqual(await names(`GET ${path()}`), ['outer::one', 'own']);
      assert.deepEqual(await names(`GET ${path()}?include_ancestor_groups=false`), ['own']);
      assert.deepEqual(await names(`GET ${path()}?search=OUT`), ['outer::one']);
      assert.deepEqual(await names(`GET /groups/${inner.id}/labels`), ['outer::one']);
      assert.deepEqual(await names(`GET /groups/${inner.id}/labels?only_group_labels=false`), ['outer::one', 'own']);
      const inherited = await server.must(`GET ${path()}/outer%3A%3Aone`);
      assert.equal(inherited.is_project_label, false);
      const taken = await server.api(`POST ${path()}`, { json: { name: 'outer::one', color: '#abc' } });
      assert.deepEqual([taken.status, taken.body], [409, { message: 'Label already exists' }]);
      const distant = await server.api(`PUT ${path()}/outer%3A%3Aone`, { json: { color: '#fff' } });
      assert.deepEqual([distant.status, distant.body], [404, { message: '404 Label Not Found' }]);
    });

    it('can be promoted to group labels', async () => {
      await server.must(`POST ${path()}`, { json: { name: 'rise', color: '#abc' } });
      const promoted = await server.must(`PUT ${path()}/rise/promote`);
      assert.equal(promoted.is_project_label, undefined);
      assert.equal((await server.must(`GET /groups/${inner.id}/labels/rise`)).id, promoted.id);
    });

    it('are merged into an existing group label when promoted', async () => {
      await server.must(`POST ${path()}`, { json: { name: 'twice', color: '#abc' } });
      const known = await server.must(`POST /groups/${inner.id}/labels`, { json: { name: 'twice', color: '#def' } });
      const promoted = await server.must(`PUT ${path()}/twice/promote`);
      assert.deepEqual([promoted.id, promoted.color], [known.id, '#def']);
      const seen = await server.must(`GET ${path()}?search=twice`);
      assert.deepEqual(
        seen.map((label: { id: number }) => label.id),
        [known.id],
      );
    });

    it('can have numeric titles without being confused with IDs', async () => {
      const { id } = await server.must(`POST ${path()}`, { json: { name: 'numbered', color: '#abc' } });
      await server.must(`POST /groups/${inner.id}/labels`, { json: { name: `${id}`, color: '#abc' } });
      assert.equal((await server.api(`POST ${path()}`, { json: { name: `${id}`, color: '#abc' } })).status, 409);
    });

    it('can be subscribed to once', async () => {
      await server.must(`POST ${path()}`, { json: { name: 'watched', color: '#abc' } });
      assert.equal((await server.must(`POST ${path()}/watched/subscribe`)).subscribed, true);
      assert.equal((await server.api(`POST ${path()}/watched/subscribe`)).status, 304);
      assert.equal((await server.must(`POST ${path()}/watched/unsubscribe`)).subscribed, false);
    });

    it('can be changed by planners and reporters, and read by guests', async () => {
      const wanted = { name: 'by role', color: '#abc' };
      const refused = await server.api(`POST ${path()}`, { json: wanted, token: roles.guest });
      assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
      assert.equal((await server.api(`GET ${path()}`, { token: roles.guest })).status, 200);
      for (const token of [roles.planner, roles.reporter]) {
        assert.equal((await server.api(`POST ${path()}`, { json: wanted, token })).status, 201);
        assert.equal((await server.api(`DELETE ${path()}/by%20role`, { token })).status, 204);
      }
    });

    const bad: [Record<string, unknown>, number, unknown][] = [
      [{}, 400, { error: 'name is missing, color is missing' }],
      [{ name: 'x' }, 400, { error: 'color is missing' }],
      [{ name: 'x', color: 'nope' }, 400, { message: { color: ['must be a valid color code'] } }],
      [{ name: 'a,b', color: 'red' }, 400, { message: { title: ['is invalid'] } }],
      [{ name: ' ', color: 'red' }, 400, { message: { title: ["can't be blank"] } }],
      [
        { name: 'x'.repeat(256), color: 'red' },
        400,
        { message: { title: ['is too long (maximum is 255 characters)'] } },
      ],
      [{ name: ['x'], color: 'red' }, 400, { error: 'name is invalid' }],
      [{ name: 'x', color: 'red', priority: 'high' }, 400, { error: 'priority is invalid' }],
      [
        { name: 'x', color: 'red', priority: -1 },
        400,
        { message: { priority: ['must be greater than or equal to 0'] } },
      ],
    ];
    for (const [json, status, body] of bad) {
      it(`reject ${JSON.stringify(json).slice(0, 60)}`, async () => {
        const answer = await server.api(`POST ${path()}`, { json });
        assert.deepEqual([answer.status, answer.body], [status, body]);
      });
    }

    it('require at least one attribute in an update', async () => {
      const none = await server.api(`PUT ${path()}/x`, { json: {} });
      const text =
        'new_name, color, description, priority, archived are missing, at least one parameter must be provided';
      assert.deepEqual([none.status, none.body], [400, { error: text }]);
      const unnamed = await server.api(`PUT ${path()}`, { json: { color: '#fff' } });
      assert.deepEqual(unnamed.body, { error: 'label_id, name are missing, exactly one parameter must be provided' });
    });

    it('are unique when created concurrently', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => server.api(`POST ${path()}`, { json: { name: 'race', color: 'red' } })),
      );
      assert.deepEqual(answers.map((one) => one.status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
    });

    it('accept concurrent priority updates', async () => {
      await server.must(`POST ${path()}`, { json: { name: 'ranked', color: 'red' } });
      await inRounds(async () => {
        const answers = await atOnce(6, (priority) => server.api(`PUT ${path()}/ranked`, { json: { priority } }));
        assert.deepEqual(statuses(answers), { 200: 6 });
      }, 4);
    });

    it('become one group label when several projects promote concurrently', async () => {
      const json = (name: string) => ({ json: { name, path: name, namespace_id: inner.id } });
      const places = await atOnce(3, (index) => server.must('POST /projects', json(`promoting-${index}`)));
      await inRounds(async (round) => {
        const name = `promoted-${round}`;
        const label = (index: number) => `/projects/${places[index].id}/labels`;
        await atOnce(3, (index) => server.must(`POST ${label(index)}`, { json: { name, color: 'red' } }));
        const answers = await Promise.all([
          ...[0, 1, 2].map((index) => server.api(`PUT ${label(index)}/${name}/promote`)),
          server.api(`POST /groups/${inner.id}/labels`, { json: { name, color: 'red' } }),
        ]);
        for (const { status } of answers) assert.ok(status < 500, `${status}`);
        const rows = server.db.read.selectFrom('labels').selectAll().where('title', '=', name);
        assert.deepEqual(
          (await rows.execute()).map(({ namespace_id }) => namespace_id),
          [inner.id],
        );
      });
    });

    it('are paginated with a constant number of queries', async () => {
      const place = await server.must('POST /projects', { json: { name: 'Many', path: 'many' } });
      const labels = `/projects/${place.id}/labels`;
      const count = () => server.queriesOf(() => server.must(`GET ${labels}?per_page=100&with_counts=true`));
      const add = async (from: number, to: number) => {
        for (let n = from; n < to; n += 1)
          await server.must(`POST ${labels}`, { json: { name: `l${n}`, color: '#abc' } });
      };
      await add(0, 10);
      const few = await count();
      await add(10, 30);
      assert.equal(await count(), few);
      const page = await server.api(`GET ${labels}?per_page=7&page=2`);
      assert.equal(page.body.length, 7);
      assert.equal(page.headers.get('x-total'), '30');
      assert.equal(page.headers.get('x-next-page'), '3');
      assert.match(page.headers.get('link') ?? '', /page=3&per_page=7&with_counts=false>; rel="next"/);
    });
  });
});
