import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issues', () => {
    let server: TestServer;
    let owner: Person;
    let planner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;

    const as = (person: Person) => ({ token: person.token });
    const create = (person: Person, json: Record<string, unknown>) =>
      server.api(`POST /projects/${project.id}/issues`, { ...as(person), json });
    const update = (person: Person, iid: number, json: Record<string, unknown>) =>
      server.api(`PUT /projects/${project.id}/issues/${iid}`, { ...as(person), json });
    const read = (person: Person | null, iid: number) =>
      server.api(`GET /projects/${project.id}/issues/${iid}`, { token: person?.token ?? null });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      planner = await addPerson(server, 'planner');
      reporter = await addPerson(server, 'reporter');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'tracker', 'public');
      await addMember(server, project, planner, Role.planner);
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
    });

    it('are created with all attributes', async () => {
      const { status, body } = await create(reporter, {
        title: ' It breaks ',
        description: '- [x] one\n- [ ] two',
        labels: 'bug,Zeta,area::ui',
        assignee_ids: [owner.user.id, outsider.user.id],
        due_date: '2026-02-28',
        weight: 3,
      });
      assert.equal(status, 201);
      assert.equal(body.title, 'It breaks');
      assert.deepEqual(body.labels, ['Zeta', 'area::ui', 'bug']);
      assert.deepEqual(
        body.assignees.map((user: { id: number }) => user.id),
        [owner.user.id, outsider.user.id],
      );
      assert.deepEqual(
        [body.state, body.type, body.issue_type, body.severity, body.subscribed, body.due_date, body.weight],
        ['opened', 'ISSUE', 'issue', 'UNKNOWN', true, '2026-02-28', 3],
      );
      assert.deepEqual(body.task_completion_status, { count: 2, completed_count: 1 });
      assert.equal(body.task_status, '1 of 2 checklist items completed');
      assert.deepEqual(body.references, {
        short: `#${body.iid}`,
        relative: `#${body.iid}`,
        full: `${owner.user.username}/tracker#${body.iid}`,
      });
      assert.equal(body.web_url, `${server.url}/${owner.user.username}/tracker/-/issues/${body.iid}`);
      assert.deepEqual((await read(reporter, body.iid)).body, body);
    });

    it('of non-members have no labels, milestone, assignees or dates', async () => {
      const { status, body } = await create(outsider, {
        title: 'From outside',
        labels: ['new-one'],
        assignee_id: owner.user.id,
        due_date: '2026-02-28',
      });
      assert.deepEqual(
        [status, body.labels, body.assignees, body.assignee, body.due_date, body.discussion_locked],
        [201, [], [], null, null, null],
      );
    });

    for (const [what, json, error] of [
      ['no title', {}, { error: 'title is missing' }],
      ['a blank title', { title: ' ' }, { message: { title: ["can't be blank"] } }],
      ['a long title', { title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
      ['a blank confidential', { title: 'x', confidential: '' }, { error: 'confidential is empty' }],
      ['an unknown type', { title: 'x', issue_type: 'story' }, { error: 'issue_type does not have a valid value' }],
    ] as const) {
      it(`are rejected with ${what}`, async () => {
        const { status, body } = await create(reporter, json);
        assert.deepEqual([status, body], [400, error]);
      });
    }

    it('get consecutive IIDs when two hundred are created concurrently', async () => {
      const fresh = await addProject(server, owner, 'rush', 'private');
      const answers = await atOnce(200, (index) =>
        server.api(`POST /projects/${fresh.id}/issues`, { ...as(owner), json: { title: `number ${index}` } }),
      );
      const iids = answers.map(({ body }) => body.iid as number).sort((a, b) => a - b);
      assert.deepEqual(
        iids,
        Array.from({ length: 200 }, (_, index) => index + 1),
      );
    });

    it('accept a unique IID chosen by a project owner', async () => {
      const chosen = await create(owner, { title: 'Chosen', iid: 5000, created_at: '2020-01-01T00:00:00Z' });
      assert.deepEqual([chosen.body.iid, chosen.body.created_at], [5000, '2020-01-01T00:00:00.000Z']);
      const again = await create(owner, { title: 'Chosen again', iid: 5000 });
      assert.deepEqual([again.status, again.body], [409, { message: 'Duplicated issue' }]);
      assert.equal((await create(reporter, { title: 'Next', iid: 7 })).body.iid, 5001);
      const refusals: [number, string][] = [
        [0, 'must be greater than 0'],
        [-1, 'must be greater than 0'],
        [2 ** 31, 'must be less than or equal to 2147483647'],
      ];
      for (const [iid, text] of refusals) {
        const { status, body } = await create(owner, { title: 'Odd', iid });
        assert.deepEqual([status, body], [400, { message: { iid: [text] } }]);
      }
      assert.equal((await create(owner, { title: 'After' })).body.iid, 5002);
    });

    it('can be closed and reopened, with system notes', async () => {
      const { iid } = (await create(reporter, { title: 'To close' })).body;
      const closed = await update(reporter, iid, { state_event: 'close' });
      assert.deepEqual([closed.body.state, closed.body.closed_by.id], ['closed', reporter.user.id]);
      assert.equal((await update(reporter, iid, { state_event: 'close' })).body.updated_at, closed.body.updated_at);
      const opened = await update(reporter, iid, { state_event: 'reopen' });
      assert.deepEqual([opened.body.state, opened.body.closed_at, opened.body.closed_by], ['opened', null, null]);
      const wrong = await update(reporter, iid, { state_event: 'merge' });
      assert.deepEqual(wrong.body, { error: 'state_event does not have a valid value' });
    });

    it('can have labels replaced, added and removed', async () => {
      const { iid } = (await create(reporter, { title: 'Labels', labels: 'a,b' })).body;
      const labels = async (json: Record<string, unknown>) => (await update(reporter, iid, json)).body.labels;
      assert.deepEqual(await labels({ add_labels: 'c', remove_labels: ['a'] }), ['b', 'c']);
      assert.deepEqual(await labels({ labels: ['x', 'y'], add_labels: 'z', remove_labels: 'y' }), ['x', 'z']);
      assert.deepEqual(await labels({ labels: '' }), []);
    });

    it('can be updated by their author only in text and state', async () => {
      const { iid } = (await create(outsider, { title: 'Mine' })).body;
      const changed = await update(outsider, iid, { title: 'Still mine', labels: 'a', due_date: '2026-01-01' });
      assert.deepEqual(
        [changed.status, changed.body.title, changed.body.labels, changed.body.due_date],
        [200, 'Still mine', [], null],
      );
      assert.equal((await update(guest, iid, { title: 'Not mine' })).status, 403);
    });

    it('accept planning attributes from guests only on creation', async () => {
      await create(reporter, { title: 'Makes the label', labels: 'planned' });
      const { status, body } = await create(guest, {
        title: 'Mine',
        description: 'Soon.\n/due 2026-04-01',
        labels: 'planned,unheard of',
        assignee_ids: [guest.user.id],
        discussion_locked: true,
      });
      const planned = (issue: typeof body) => [
        issue.labels,
        issue.assignee?.id,
        issue.due_date,
        issue.discussion_locked,
      ];
      assert.deepEqual([status, ...planned(body)], [201, ['planned'], guest.user.id, '2026-04-01', null]);
      const later = await update(guest, body.iid, { title: 'Later', labels: '', assignee_ids: [0], due_date: '' });
      assert.deepEqual([later.status, ...planned(later.body)], [200, ['planned'], guest.user.id, '2026-04-01', null]);
      const { body: outside } = await create(outsider, { title: 'Theirs', labels: 'planned', due_date: '2026-04-01' });
      assert.deepEqual([outside.labels, outside.due_date], [[], null]);
    });

    it('can be incidents for reporters but not for planners', async () => {
      assert.equal((await create(guest, { title: 'Down', issue_type: 'incident' })).status, 403);
      assert.equal((await create(planner, { title: 'Down', issue_type: 'incident' })).status, 403);
      const { iid } = (await create(reporter, { title: 'Down', issue_type: 'incident' })).body;
      assert.equal((await update(planner, iid, { title: 'Up' })).status, 403);
      assert.equal((await update(reporter, iid, { labels: 'outage' })).body.labels[0], 'outage');
      const estimate = `POST /projects/${project.id}/issues/${iid}/time_estimate?duration=1h`;
      assert.equal((await server.api(estimate, as(planner))).status, 403);
      const plain = (await create(planner, { title: 'Slow' })).body;
      const turned = await update(planner, plain.iid, { title: 'Slower', issue_type: 'incident' });
      assert.deepEqual([turned.status, turned.body.title, turned.body.type], [200, 'Slower', 'ISSUE']);
      assert.equal((await update(reporter, plain.iid, { issue_type: 'incident' })).body.type, 'INCIDENT');
    });

    it('require at least one attribute in an update', async () => {
      const { status, body } = await update(reporter, 1, { updated_at: '2026-01-01T00:00:00Z' });
      assert.equal(status, 400);
      assert.match(body.error, /^assignee_id, assignee_ids, confidential, .* are missing, at least one parameter/);
    });

    it('hide their events when they become confidential', async () => {
      const { iid } = (await create(owner, { title: 'Soon secret' })).body;
      const at = `/projects/${project.id}/issues/${iid}`;
      await server.must(`POST ${at}/notes`, { token: owner.token, json: { body: 'Not for all' } });
      const notified = async () =>
        (await server.must(`GET /projects/${project.id}/events`, { token: outsider.token }))
          .map((event: { target_title: string; note?: { body: string } }) => event.note?.body ?? event.target_title)
          .filter((text: string) => text === 'Not for all' || text === 'Soon secret');
      assert.deepEqual(await notified(), ['Not for all', 'Soon secret']);
      await server.must(`PUT ${at}`, { token: owner.token, json: { confidential: true } });
      assert.deepEqual(await notified(), []);
      await server.must(`PUT ${at}`, { token: owner.token, json: { confidential: false } });
      assert.deepEqual(await notified(), ['Not for all', 'Soon secret']);
    });

    it('appear with their IID in events about notes', async () => {
      const { iid } = (await create(owner, { title: 'Talked about' })).body;
      const at = `/projects/${project.id}/issues/${iid}`;
      await server.must(`POST ${at}/notes`, { token: owner.token, json: { body: 'Said here' } });
      const [notified] = await server.must(`GET /projects/${project.id}/events?action=commented`, {
        token: owner.token,
      });
      const { body, noteable_type, noteable_iid, commands_changes } = notified.note;
      assert.deepEqual([body, noteable_type, noteable_iid, commands_changes], ['Said here', 'Issue', iid, {}]);
    });

    it('look missing to users without access if confidential', async () => {
      const { iid } = (await create(outsider, { title: 'Secret', confidential: true })).body;
      const seen = await Promise.all([owner, planner, reporter, outsider].map((person) => read(person, iid)));
      assert.deepEqual(
        seen.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      for (const person of [guest, null]) {
        const { status, body } = await read(person, iid);
        assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
      }
    });

    it('show user agent details to administrators', async () => {
      const made = await server.must(`POST /projects/${project.id}/issues`, {
        token: owner.token,
        json: { title: 'Opened by a program' },
        headers: { 'user-agent': 'a program/1.0' },
      });
      const path = `GET /projects/${project.id}/issues/${made.iid}/user_agent_detail`;
      const { ip_address, ...rest } = await server.must(path);
      assert.deepEqual(rest, { user_agent: 'a program/1.0', akismet_submitted: false });
      assert.match(ip_address, /127\.0\.0\.1$/);
      assert.equal((await server.api(path, as(owner))).status, 403);
      assert.equal((await server.api(path, { token: null })).status, 401);
      await server.db.write((trx) => trx.deleteFrom('user_agent_details').where('issue_id', '=', made.id).execute());
      const missing = await server.api(path);
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 UserAgentDetail Not Found' }]);
    });

    it('can be deleted by planners and owners', async () => {
      const { iid } = (await create(reporter, { title: 'To delete' })).body;
      const remove = (person: Person) => server.api(`DELETE /projects/${project.id}/issues/${iid}`, as(person));
      assert.equal((await remove(reporter)).status, 403);
      assert.equal((await remove(planner)).status, 204);
      const again = await remove(planner);
      assert.deepEqual([again.status, again.body], [404, { message: '404 Issue Not Found' }]);
    });
  });
});
