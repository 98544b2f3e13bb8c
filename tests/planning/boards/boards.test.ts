import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('issue boards', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let guest: Person;
    let reporter: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, visibility: 'public' },
      });
      guest = await addUser(server, 'guest');
      reporter = await addUser(server, 'reporter');
      for (const [user, access_level] of [
        [guest, 10],
        [reporter, 20],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level } });
      }
    });

    const places = () => [`/projects/${project.id}`, `/groups/${group.id}`];
    const label = (name: string, at = `/groups/${group.id}`) =>
      server.must(`POST ${at}/labels`, { json: { name, color: '#ff0000' } });
    const status = async (call: string, token: string | null, json?: object) =>
      (await server.api(call, { token, ...(json && { json }) })).status;

    it('have iteration lists only for existing iterations of their group and its ancestors', async () => {
      const json = { title: 'Weeks', start_date: '2026-01-05', duration_in_weeks: 1, iterations_in_advance: 2 };
      const cadence = await server.must(`POST /groups/${group.id}/iteration_cadences`, { json });
      const elsewhere = await server.must('POST /groups', { json: { name: 'Elsewhere', path: 'elsewhere' } });
      await server.must(`POST /groups/${elsewhere.id}/iteration_cadences`, { json });
      const [iteration] = await server.must(`GET /groups/${group.id}/iterations?state=opened`);
      const [foreign] = await server.must(`GET /groups/${elsewhere.id}/iterations?state=opened`);
      const boards: string[] = [];
      for (const place of places()) {
        const board = await server.must(`POST ${place}/boards`, { json: { name: 'Weekly' } });
        const lists = `${place}/boards/${board.id}/lists`;
        boards.push(`${place}/boards/${board.id}`);
        const list = await server.must(`POST ${lists}`, { json: { iteration_id: iteration.id } });
        assert.deepEqual([list.label, list.iteration], [null, iteration]);
        assert.deepEqual((await server.must(`GET ${lists}/${list.id}`)).iteration, iteration);
        for (const [wrong, text] of [
          [iteration.id, 'Iteration has already been taken'],
          [foreign.id, 'Iteration not found!'],
          [999_999, 'Iteration not found!'],
        ] as const) {
          const refused = await server.api(`POST ${lists}`, { json: { iteration_id: wrong } });
          assert.deepEqual([refused.status, refused.body], [400, { message: { error: text } }]);
        }
        const both = await server.api(`POST ${lists}`, { json: { iteration_id: iteration.id, milestone_id: 1 } });
        assert.equal(both.status, 400);
      }
      await server.must(`DELETE /groups/${group.id}/iteration_cadences/${cadence.id}`);
      for (const board of boards) {
        assert.deepEqual((await server.must(`GET ${board}`)).lists, []);
        await server.must(`DELETE ${board}`);
      }
    });

    it('lose the lists for iterations of former ancestor groups after a transfer', async () => {
      const json = { title: 'Moved', start_date: '2026-01-05', duration_in_weeks: 1, iterations_in_advance: 1 };
      await server.must(`POST /groups/${group.id}/iteration_cadences`, { json });
      const [iteration] = await server.must(`GET /groups/${group.id}/iterations?state=opened`);
      const moved = await server.must('POST /projects', { json: { name: 'Moves', namespace_id: group.id } });
      const board = await server.must(`POST /projects/${moved.id}/boards`, { json: { name: 'Weekly' } });
      const at = `/projects/${moved.id}/boards/${board.id}`;
      await server.must(`POST ${at}/lists`, { json: { iteration_id: iteration.id } });
      await server.must(`PUT /projects/${moved.id}/transfer`, { json: { namespace: 'root' } });
      assert.deepEqual((await server.must(`GET ${at}`)).lists, []);
    });

    it('do not exist in a new project or group', async () => {
      for (const place of places()) assert.deepEqual(await server.must(`GET ${place}/boards`), []);
    });

    it('can be created, read, updated and deleted', async () => {
      await label('scoped');
      const milestone = await server.must(`POST /groups/${group.id}/milestones`, { json: { title: 'v1' } });
      for (const place of places()) {
        const made = await server.api(`POST ${place}/boards`, { token: reporter.token, json: { name: 'Work' } });
        assert.equal(made.status, 201);
        const { id, project: shown, group: of, ...rest } = made.body;
        assert.deepEqual(rest, {
          name: 'Work',
          hide_backlog_list: false,
          hide_closed_list: false,
          lists: [],
          milestone: null,
          assignee: null,
          labels: [],
          weight: null,
        });
        const ofProject = place.startsWith('/projects');
        assert.deepEqual([shown?.id, of?.id], ofProject ? [project.id, undefined] : [undefined, group.id]);
        const changed = await server.must(`PUT ${place}/boards/${id}`, {
          token: reporter.token,
          json: {
            name: 'Play',
            hide_closed_list: true,
            labels: 'scoped,unknown',
            milestone_id: milestone.id,
            assignee_id: guest.id,
            weight: 4,
          },
        });
        assert.deepEqual(
          [changed.name, changed.hide_closed_list, changed.labels.map((each: { name: string }) => each.name)],
          ['Play', true, ['scoped']],
        );
        assert.deepEqual([changed.milestone.id, changed.assignee.id, changed.weight], [milestone.id, guest.id, 4]);
        assert.deepEqual(await server.must(`GET ${place}/boards/${id}`, { token: reporter.token }), changed);
        // The Terraform provider does this before it replaces the lists.
        assert.deepEqual(await server.must(`PUT ${place}/boards/${id}`, { token: reporter.token, json: {} }), changed);
        assert.equal((await server.must(`GET ${place}/boards`)).length, 1);
        assert.equal(await status(`PUT ${place}/boards/${id}`, guest.token, { name: 'x' }), 403);
        assert.equal(await status(`POST ${place}/boards`, guest.token, { name: 'x' }), 403);
        assert.equal(await status(`GET ${place}/boards/${id}`, guest.token), 200);
        assert.equal(await status(`GET ${place}/boards`, null), 401);
        const blank = await server.api(`PUT ${place}/boards/${id}`, { json: { name: ' ' } });
        assert.deepEqual(
          [blank.status, blank.body.message],
          [400, `400 Bad request - Failed to save board {:name=>["can't be blank"]}`],
        );
        assert.equal(await status(`DELETE ${place}/boards/${id}`, reporter.token), 204);
        const deleted = await server.api(`GET ${place}/boards/${id}`);
        assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
      }
    });

    it('keep the order of their lists', async () => {
      const labels = await Promise.all(['one', 'two', 'three'].map((name) => label(name)));
      const { id } = await server.must(`POST /projects/${project.id}/boards`, { json: { name: 'Ordered' } });
      const path = `/projects/${project.id}/boards/${id}/lists`;
      const lists: { id: number; position: number }[] = [];
      for (const each of labels) {
        lists.push(await server.must(`POST ${path}`, { token: reporter.token, json: { label_id: each.id } }));
      }
      assert.deepEqual(
        lists.map(({ position }) => position),
        [0, 1, 2],
      );
      const [first, , third] = lists;
      assert.ok(first && third);
      const names = async () =>
        (await server.must(`GET ${path}`)).map((each: { label: { name: string } }) => each.label.name);
      const moved = await server.must(`PUT ${path}/${third.id}`, { token: reporter.token, json: { position: 0 } });
      assert.equal(moved.position, 0);
      assert.deepEqual(await names(), ['three', 'one', 'two']);
      assert.deepEqual(
        (await server.must(`GET /projects/${project.id}/boards/${id}`)).lists.map((each: { id: number }) => each.id)[0],
        third.id,
      );
      assert.equal(await status(`PUT ${path}/${third.id}`, reporter.token, { position: 9 }), 400);
      const taken = await server.api(`POST ${path}`, { json: { label_id: labels[0].id } });
      assert.deepEqual([taken.status, taken.body], [400, { message: { error: 'Label has already been taken' } }]);
      const foreign = await server.must('POST /projects', { json: { name: 'Foreign' } });
      const others = await label('theirs', `/projects/${foreign.id}`);
      const unknown = await server.api(`POST ${path}`, { json: { label_id: others.id } });
      assert.deepEqual([unknown.status, unknown.body], [400, { message: { error: 'Label not found!' } }]);
      assert.equal(await status(`POST ${path}`, reporter.token, {}), 400);
      const assigned = await server.must(`POST ${path}`, { json: { assignee_id: guest.id } });
      assert.deepEqual([assigned.label, assigned.assignee.id, assigned.position], [null, guest.id, 3]);
      assert.equal((await server.must(`GET ${path}/${first.id}`)).label.name, 'one');
      assert.equal(await status(`DELETE ${path}/${first.id}`, guest.token), 403);
      assert.equal(await status(`DELETE ${path}/${first.id}`, reporter.token), 204);
      assert.equal(await status(`GET ${path}/${first.id}`, reporter.token), 404);
      await server.must(`DELETE /groups/${group.id}/labels/two`);
      const left = await server.must(`GET ${path}`);
      assert.deepEqual(
        left.map((each: { label: { name: string } | null }) => each.label?.name),
        ['three', undefined],
      );
    });

    it('have one list per label, even with concurrent requests', async () => {
      const { id: label_id } = await label('raced');
      const { id } = await server.must(`POST /groups/${group.id}/boards`, { json: { name: 'Raced' } });
      const answers = await atOnce(5, () =>
        server.api(`POST /groups/${group.id}/boards/${id}/lists`, { json: { label_id } }),
      );
      assert.deepEqual(statuses(answers), { 201: 1, 400: 4 });
    });
  });
});
