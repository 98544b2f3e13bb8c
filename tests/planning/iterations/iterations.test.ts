import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

const day = (after: number) => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10);

forEachEngine((engine) => {
  describe('iterations', () => {
    let server: TestServer;
    let group: { id: number };
    let inner: { id: number };
    let project: { id: number };
    let guest: Person;
    let reporter: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      inner = await server.must('POST /groups', { json: { name: 'Inner', path: 'inner', parent_id: group.id } });
      project = await server.must('POST /projects', { json: { name: 'It', path: 'it', namespace_id: inner.id } });
      guest = await addUser(server, 'guest');
      reporter = await addUser(server, 'reporter');
      for (const [user, access_level] of [
        [guest, 10],
        [reporter, 20],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level } });
      }
    });

    const status = async (call: string, token: string | null, json?: object) =>
      (await server.api(call, { token, ...(json && { json }) })).status;

    it('are created by cadences and can be filtered by state', async () => {
      const json = { title: 'Weekly', start_date: day(-10), duration_in_weeks: 1, iterations_in_advance: 2 };
      assert.equal(await status(`POST /groups/${group.id}/iteration_cadences`, guest.token, json), 403);
      const cadence = await server.must(`POST /groups/${group.id}/iteration_cadences`, { token: reporter.token, json });
      const list = async (query: string, place = `/groups/${group.id}`) =>
        (await server.must(`GET ${place}/iterations?${query}`, { token: guest.token })) as {
          id: number;
          sequence: number;
          state: number;
        }[];
      const sequences = async (query: string, place?: string) =>
        (await list(query, place)).map(({ sequence }) => sequence);
      const all = await list('');
      assert.deepEqual(
        all.map(({ sequence, state }) => [sequence, state]),
        [
          [1, 3],
          [2, 2],
          [3, 1],
          [4, 1],
        ],
      );
      assert.deepEqual(await sequences('state=opened'), [2, 3, 4]);
      assert.deepEqual(await sequences('state=closed'), [1]);
      assert.deepEqual(await sequences('state=current'), [2]);
      assert.deepEqual(await sequences('search=week'), [1, 2, 3, 4]);
      assert.deepEqual(await sequences('search=nothing'), []);
      assert.deepEqual(await sequences('state=upcoming', `/projects/${project.id}`), [3, 4]);
      assert.deepEqual(await sequences('include_ancestors=false', `/groups/${inner.id}`), []);
      assert.equal(await status(`GET /groups/${group.id}/iterations`, null), 401);
      assert.equal(await status(`GET /groups/${group.id}/iterations?state=odd`, guest.token), 400);
      assert.equal((await server.must(`GET /groups/${group.id}/iteration_cadences`)).length, 1);

      const issue = await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'due' } });
      const [, current] = all;
      assert.ok(current);
      const notes = `POST /projects/${project.id}/issues/${issue.iid}/notes`;
      await server.must(notes, { token: reporter.token, json: { body: `/iteration *iteration:${current.id}` } });
      const shown = await server.must(`GET /projects/${project.id}/issues/${issue.iid}`);
      assert.deepEqual([shown.iteration.id, shown.iteration.state], [current.id, 2]);
      const found = async (query: string) => (await server.must(`GET /projects/${project.id}/issues?${query}`)).length;
      assert.deepEqual(
        [
          await found('iteration_id=Current'),
          await found(`iteration_id=${current.id}`),
          await found('iteration_id=None'),
        ],
        [1, 1, 0],
      );
      assert.equal(
        await status(`GET /projects/${project.id}/issues?iteration_id=1&iteration_title=x`, guest.token),
        400,
      );
      await server.must(notes, { token: reporter.token, json: { body: '/remove_iteration' } });
      assert.equal(await found('iteration_id=None'), 1);
      await server.must(notes, { token: reporter.token, json: { body: `/iteration *iteration:${current.id}` } });
      assert.equal(await found('iteration_id=Any'), 1);
      const record = `GET /projects/${project.id}/issues/${issue.iid}/resource_iteration_events`;
      const events = await server.must(record, { token: guest.token });
      assert.deepEqual(
        events.map((event: { action: string; iteration: { id: number } }) => [event.action, event.iteration.id]),
        ['add', 'remove', 'add'].map((action) => [action, current.id]),
      );
      assert.equal((await server.must(`${record}/${events[0].id}`)).user.username, reporter.username);
      assert.equal(await status(`${record}/999999`, guest.token), 404);
      assert.equal(await status(record, null), 401);
      const one = `/groups/${group.id}/iteration_cadences/${cadence.id}`;
      assert.equal(await status(`DELETE ${one}`, guest.token), 403);
      assert.equal(await status(`DELETE ${one}`, reporter.token), 204);
      assert.equal(await status(`DELETE ${one}`, reporter.token), 404);
      assert.deepEqual(await list(''), []);
      assert.equal((await server.must(`GET /projects/${project.id}/issues/${issue.iid}`)).iteration, null);
    });

    it('reject invalid input, and cadence titles are unique', async () => {
      const path = `/groups/${group.id}/iteration_cadences`;
      const sound = { title: 'Raced', start_date: day(1), duration_in_weeks: 2 };
      for (const wrong of [
        { duration_in_weeks: 9 },
        { title: ' ' },
        { iterations_in_advance: 0 },
        { start_date: 'soon' },
      ]) {
        assert.equal(await status(`POST ${path}`, reporter.token, { ...sound, ...wrong }), 400, JSON.stringify(wrong));
      }
      const answers = await atOnce(4, () => server.api(`POST ${path}`, { token: reporter.token, json: sound }));
      assert.deepEqual(statuses(answers), { 201: 1, 400: 3 });
      assert.equal((await server.must(`GET /groups/${group.id}/iterations`)).length, 2);
    });
  });
});
