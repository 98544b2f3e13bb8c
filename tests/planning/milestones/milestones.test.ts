import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('milestones', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let other: { id: number };
    let guest: Person;
    let reporter: Person;
    let outsider: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      const inside = { namespace_id: group.id, visibility: 'public' };
      project = await server.must('POST /projects', { json: { name: 'It', path: 'it', ...inside } });
      other = await server.must('POST /projects', {
        json: { name: 'Other', path: 'other', ...inside, visibility: 'private' },
      });
      [guest, reporter, outsider] = (await Promise.all([
        addUser(server, 'guest'),
        addUser(server, 'reporter'),
        addUser(server, 'outsider'),
      ])) as [Person, Person, Person];
      for (const [user, access_level] of [
        [guest, 10],
        [reporter, 20],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level } });
      }
    });

    const make = (title: string, json: object = {}, at = `/projects/${project.id}`) =>
      server.must(`POST ${at}/milestones`, { token: reporter.token, json: { title, ...json } });
    const status = async (call: string, token: string | null, json?: object) =>
      (await server.api(call, { token, ...(json && { json }) })).status;

    it('can be created, read, updated and deleted', async () => {
      const made = await server.api(`POST /projects/${project.id}/milestones`, {
        token: reporter.token,
        json: { title: ' first ', description: 'text', start_date: '2026-01-01', due_date: '2026-02-01T10:00:00Z' },
      });
      assert.equal(made.status, 201);
      const { id, iid } = made.body;
      assert.deepEqual(made.body, {
        id,
        iid,
        project_id: project.id,
        title: 'first',
        description: 'text',
        state: 'active',
        created_at: made.body.created_at,
        updated_at: made.body.updated_at,
        due_date: '2026-02-01',
        start_date: '2026-01-01',
        expired: true,
        web_url: `${server.url}/top/it/-/milestones/${iid}`,
      });
      const path = `/projects/${project.id}/milestones/${id}`;
      assert.deepEqual(await server.must(`GET ${path}`), made.body);
      const closed = await server.must(`PUT ${path}`, {
        token: reporter.token,
        json: { state_event: 'close', due_date: '' },
      });
      assert.deepEqual([closed.state, closed.due_date, closed.title], ['closed', null, 'first']);
      const open = await server.must(`PUT ${path}`, { json: { state_event: 'activate', title: 'renamed' } });
      assert.deepEqual([open.state, open.title], ['active', 'renamed']);
      assert.equal(await status(`PUT ${path}`, guest.token, { title: 'x' }), 403);
      assert.equal(await status(`DELETE ${path}`, guest.token), 403);
      assert.equal(await status(`DELETE ${path}`, reporter.token), 204);
      const deleted = await server.api(`GET ${path}`);
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
      const events = await server.must(`GET /projects/${project.id}/events?target_type=milestone`);
      assert.deepEqual(
        events.map((event: { action_name: string }) => event.action_name),
        ['destroyed', 'opened', 'closed', 'opened'],
      );
    });

    it('reject invalid input with the documented errors', async () => {
      const { id } = await make('checked', { start_date: '2026-05-01' });
      const path = `/projects/${project.id}/milestones`;
      const table: [string, object, number, unknown][] = [
        [`POST ${path}`, {}, 400, { error: 'title is missing' }],
        [`POST ${path}`, { title: '' }, 400, { message: `Failed to create milestone {:title=>["can't be blank"]}` }],
        [
          `POST ${path}`,
          { title: 'checked' },
          400,
          {
            message:
              'Failed to create milestone {:title=>["already being used for another group or project milestone."]}',
          },
        ],
        [
          `PUT ${path}/${id}`,
          { due_date: '2026-05-01' },
          400,
          { message: 'Failed to update milestone {:due_date=>["must be greater than start date"]}' },
        ],
        [
          `PUT ${path}/${id}`,
          {},
          400,
          {
            error:
              'title, description, start_date, due_date, state_event are missing, at least one parameter must be provided',
          },
        ],
        [`PUT ${path}/${id}`, { state_event: 'burn' }, 400, { error: 'state_event does not have a valid value' }],
        [`PUT ${path}/999999`, { title: 'x' }, 404, { message: '404 Not found' }],
      ];
      for (const [call, json, wanted, body] of table) {
        const answer = await server.api(call, { token: reporter.token, json });
        assert.equal(answer.status, wanted, `${call} ${JSON.stringify(json)}: ${answer.text}`);
        assert.deepEqual(answer.body, body);
      }
      const both = await server.api(`GET ${path}?include_ancestors=true&include_parent_milestones=true`);
      assert.deepEqual(
        [both.status, both.body],
        [400, { error: 'include_ancestors, include_parent_milestones are mutually exclusive' }],
      );
      assert.equal(await status(`GET ${path}`, null), 401);
      assert.equal(await status(`GET /projects/${other.id}/milestones`, outsider.token), 404);
      assert.equal(await status(`POST ${path}`, outsider.token, { title: 'x' }), 403);
    });

    it('are listed by due date, including those of ancestor groups', async () => {
      const here = await server.must('POST /projects', { json: { name: 'Listed', namespace_id: group.id } });
      const at = `/projects/${here.id}`;
      const late = await make('late', { due_date: '2031-01-01' }, at);
      const soon = await make('soon', { due_date: '2030-01-01' }, at);
      const never = await make('never', {}, at);
      const above = await make('above', { due_date: '2030-06-01' }, `/groups/${group.id}`);
      assert.equal(above.group_id, group.id);
      assert.equal(above.web_url, `${server.url}/groups/top/-/milestones/${above.iid}`);
      await server.must(`PUT ${at}/milestones/${late.id}`, { json: { state_event: 'close' } });
      const ids = async (query: string, place = at) =>
        (await server.must(`GET ${place}/milestones?per_page=100&${query}`)).map((each: { id: number }) => each.id);
      assert.deepEqual(await ids(''), [soon.id, late.id, never.id]);
      assert.deepEqual(await ids('state=active'), [soon.id, never.id]);
      assert.deepEqual(await ids('title=late'), [late.id]);
      assert.deepEqual(await ids('search=eve'), [never.id]);
      assert.deepEqual(await ids(`iids[]=${soon.iid}`), [soon.id]);
      assert.deepEqual(await ids('include_ancestors=true&search=a'), [above.id, late.id]);
      assert.deepEqual(await ids('include_parent_milestones=true&search=above'), [above.id]);
      assert.deepEqual(await ids('search=above', `/groups/${group.id}`), [above.id]);
      const below = await ids('include_descendants=true', `/groups/${group.id}`);
      assert.ok(below.includes(soon.id) && below.includes(above.id));
      const seen = await server.must(`GET /groups/${group.id}/milestones?include_descendants=true&per_page=100`, {
        token: outsider.token,
      });
      assert.ok(!seen.some((each: { id: number }) => each.id === soon.id), 'milestones of private projects are hidden');
      assert.equal((await server.api(`GET ${at}/milestones/${above.id}`)).status, 404);
    });

    it('pass their due date to issues and are removed from them on deletion', async () => {
      const milestone = await make('followed', { due_date: '2030-01-01' });
      const open = await server.must(`POST /projects/${project.id}/issues`, {
        json: { title: 'a', milestone_id: milestone.id, weight: 3 },
      });
      const secret = await server.must(`POST /projects/${project.id}/issues`, {
        json: { title: 'b', milestone_id: milestone.id, confidential: true },
      });
      await server.must(`PUT /projects/${project.id}/issues/${open.iid}`, { json: { state_event: 'close' } });
      const path = `/projects/${project.id}/milestones/${milestone.id}`;
      const ids = async (token: string) =>
        (await server.must(`GET ${path}/issues`, { token })).map((each: { id: number }) => each.id);
      assert.deepEqual(await ids(reporter.token), [secret.id, open.id]);
      assert.deepEqual(await ids(outsider.token), [open.id]);
      const events = await server.must(`GET ${path}/burndown_events`, { token: outsider.token });
      assert.deepEqual(
        events.map(({ weight, action }: { weight: number; action: string }) => [weight, action]),
        [
          [3, 'created'],
          [3, 'closed'],
        ],
      );
      await server.must(`PUT ${path}`, { json: { due_date: '2031-01-01' } });
      const due = async () =>
        (await server.db.read
          .selectFrom('issues')
          .select(['milestone_id', 'milestone_due_date'])
          .where('id', '=', open.id)
          .executeTakeFirst()) as object;
      assert.deepEqual(await due(), { milestone_id: milestone.id, milestone_due_date: '2031-01-01' });
      assert.equal(await status(`DELETE ${path}`, reporter.token), 204);
      assert.deepEqual(await due(), { milestone_id: null, milestone_due_date: null });
    });

    it('can be promoted to group milestones, merging equal titles', async () => {
      const one = await make('shared', { due_date: '2030-01-01' });
      const two = await make('shared', {}, `/projects/${other.id}`);
      const issue = await server.must(`POST /projects/${other.id}/issues`, {
        json: { title: 'x', milestone_id: two.id },
      });
      assert.equal(await status(`POST /projects/${project.id}/milestones/${one.id}/promote`, guest.token), 403);
      const promoted = await server.api(`POST /projects/${project.id}/milestones/${one.id}/promote`, {
        token: reporter.token,
      });
      assert.deepEqual([promoted.status, promoted.body], [200, 200]);
      const shown = await server.must(`GET /projects/${other.id}/issues/${issue.iid}`);
      assert.deepEqual([shown.milestone.title, shown.milestone.group_id], ['shared', group.id]);
      assert.equal(await status(`GET /projects/${project.id}/milestones/${one.id}`, reporter.token), 404);
      const own = await server.must('POST /projects', { json: { name: 'Own' } });
      const alone = await server.must(`POST /projects/${own.id}/milestones`, { json: { title: 'x' } });
      const refused = await server.api(`POST /projects/${own.id}/milestones/${alone.id}/promote`);
      assert.deepEqual([refused.status, refused.body], [400, { message: 'Project does not belong to a group.' }]);
    });

    it('have unique titles, even with concurrent requests', async () => {
      await inRounds(async (round) => {
        const title = `raced ${round}`;
        const answers = await atOnce(4, (n) =>
          server.api(`POST ${n % 2 ? `/groups/${group.id}` : `/projects/${project.id}`}/milestones`, {
            json: { title },
          }),
        );
        const made = statuses(answers);
        assert.deepEqual(made, { 201: 1, 400: 3 });
      }, 3);
    });

    it('can be referenced in texts', async () => {
      const { iid } = await make('Release 2');
      const { html } = await server.must('POST /markdown', {
        json: { text: `see %"Release 2" and %${iid}`, gfm: true, project: 'top/it' },
      });
      assert.equal(html.split(`href="/top/it/-/milestones/${iid}"`).length, 3);
    });
  });
});
