import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import { findUser } from '../../../src/access/credentials/identify.ts';
import { readableProject } from '../../../src/access/subjects.ts';
import { promoteToEpic } from '../../../src/planning/epics/promote.ts';
import { readableIssue } from '../../../src/planning/issues/public.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('epics', () => {
    let server: TestServer;
    let group: { id: number };
    let inner: { id: number };
    let project: { id: number };
    let guest: Person;
    let reporter: Person;
    let outsider: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      inner = await server.must('POST /groups', {
        json: { name: 'Inner', path: 'inner', parent_id: group.id, visibility: 'private' },
      });
      project = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, visibility: 'public' },
      });
      [guest, reporter, outsider] = (await Promise.all([
        addUser(server, 'guest'),
        addUser(server, 'reporter'),
        addUser(server, 'outsider'),
      ])) as [Person, Person, Person];
      const join = (user_id: number, access_level: number) =>
        server.must(`POST /groups/${group.id}/members`, { json: { user_id, access_level } });
      await join(guest.id, 10);
      await join(reporter.id, 20);
    });

    const make = (json: object = {}, token = reporter.token, at = group.id) =>
      server.must(`POST /groups/${at}/epics`, { token, json: { title: 'Epic', ...json } });
    const issue = (json: object = {}) =>
      server.must(`POST /projects/${project.id}/issues`, { token: reporter.token, json: { title: 'Issue', ...json } });
    const status = async (call: string, token: string | null, json?: object) =>
      (await server.api(call, { token, ...(json && { json }) })).status;

    it('and epic boards are limited in the number of labels', async () => {
      const labels = (count: number) => Array.from({ length: count }, (_, at) => `many ${at}`).join();
      const { iid } = await make({ labels: labels(500) });
      const board = await server.must(`POST /groups/${group.id}/boards`, { json: { name: 'Many' } });
      const calls = [
        `POST /groups/${group.id}/epics`,
        `PUT /groups/${group.id}/epics/${iid}`,
        `PUT /groups/${group.id}/boards/${board.id}`,
      ];
      for (const call of calls) {
        for (const count of [501, 49_000]) {
          const refused = await server.api(call, { json: { title: 'x', labels: labels(count) } });
          assert.deepEqual(
            [refused.status, refused.body],
            [400, { message: { labels: ['total must be less than or equal to 500'] } }],
            `${call}: ${count}`,
          );
        }
      }
      const added = await server.api(calls[1] ?? '', { json: { add_labels: 'one more' } });
      assert.equal(added.status, 400);
    });

    it('have an alternative path', async () => {
      const at = `/groups/${group.id}/-/epics`;
      const { iid } = await server.must(`POST ${at}`, { token: reporter.token, json: { title: 'Elsewhere' } });
      const [found] = await server.must(`GET ${at}?search=Elsewhere`, { token: reporter.token });
      assert.equal(found.iid, iid);
      for (const part of ['', '/epics', '/issues'])
        assert.equal((await server.api(`GET /groups/top%2Finner/-/epics/${iid}${part}`)).status, 404, part);
      for (const part of ['', '/epics', '/issues'])
        assert.equal((await server.api(`GET ${at}/${iid}${part}`, { token: reporter.token })).status, 200, part);
      const changed = await server.must(`PUT ${at}/${iid}`, { token: reporter.token, json: { title: 'Here' } });
      assert.equal(changed.title, 'Here');
      assert.equal((await server.api(`DELETE ${at}/${iid}`)).status, 204);
      assert.equal((await server.api(`GET /groups/${group.id}/-/epicsome`)).status, 404);
    });

    it('can be created, read, updated and deleted', async () => {
      const made = await server.api(`POST /groups/${group.id}/epics`, {
        token: reporter.token,
        json: {
          title: 'First',
          description: 'text',
          labels: 'b,a',
          start_date_fixed: '2026-01-01',
          start_date_is_fixed: true,
        },
      });
      assert.equal(made.status, 201);
      const { id, iid } = made.body;
      const api = `${server.url}/api/v4/groups/${group.id}`;
      assert.deepEqual(made.body, {
        id,
        work_item_id: id,
        iid,
        color: '#1068bf',
        text_color: '#FFFFFF',
        group_id: group.id,
        parent_id: null,
        parent_iid: null,
        imported: false,
        imported_from: 'none',
        title: 'First',
        description: 'text',
        confidential: false,
        author: made.body.author,
        start_date: '2026-01-01',
        start_date_is_fixed: true,
        start_date_fixed: '2026-01-01',
        start_date_from_inherited_source: null,
        start_date_from_milestones: null,
        end_date: null,
        due_date: null,
        due_date_is_fixed: false,
        due_date_fixed: null,
        due_date_from_inherited_source: null,
        due_date_from_milestones: null,
        state: 'opened',
        web_edit_url: `/groups/top/-/epics/${iid}`,
        web_url: `${server.url}/groups/top/-/epics/${iid}`,
        references: { short: `&${iid}`, relative: `&${iid}`, full: `top&${iid}` },
        reference: `&${iid}`,
        created_at: made.body.created_at,
        updated_at: made.body.updated_at,
        closed_at: null,
        labels: ['a', 'b'],
        upvotes: 0,
        downvotes: 0,
        subscribed: true,
        _links: { self: `${api}/epics/${iid}`, epic_issues: `${api}/epics/${iid}/issues`, group: api, parent: null },
      });
      const path = `/groups/${group.id}/epics/${iid}`;
      assert.equal((await server.must(`GET ${path}`, { token: null })).title, 'First');
      const changed = await server.must(`PUT ${path}`, {
        token: reporter.token,
        json: { title: 'Second', state_event: 'close', add_labels: 'c', remove_labels: 'a', color: 'red' },
      });
      assert.deepEqual(
        [changed.title, changed.state, changed.labels, changed.color],
        ['Second', 'closed', ['b', 'c'], '#FF0000'],
      );
      assert.notEqual(changed.closed_at, null);
      const notes = await server.must(`GET /groups/${group.id}/epics/${id}/notes`, { token: reporter.token });
      assert.equal(notes.length, 1);
      assert.match(notes[0].body, /changed title/);
      assert.equal(await status(`PUT ${path}`, guest.token, { title: 'x' }), 403);
      assert.equal(await status(`DELETE ${path}`, reporter.token), 403);
      assert.equal((await server.api(`DELETE ${path}`)).status, 204);
      const deleted = await server.api(`GET ${path}`);
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
    });

    it('reject invalid input with the documented errors', async () => {
      const { iid } = await make();
      const path = `/groups/${group.id}/epics`;
      const table: [string, object, number, unknown][] = [
        [`POST ${path}`, {}, 400, { error: 'title is missing' }],
        [`POST ${path}`, { title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
        [`POST ${path}`, { title: 'x', color: 'nope' }, 400, { message: { color: ['must be a valid color code'] } }],
        [`POST ${path}`, { title: 'x', parent_id: 999999 }, 404, { message: '404 Epic Not Found' }],
        [`PUT ${path}/${iid}`, {}, 400, undefined],
        [`PUT ${path}/${iid}`, { state_event: 'burn' }, 400, { error: 'state_event does not have a valid value' }],
        [`PUT ${path}/99999`, { title: 'x' }, 404, { message: '404 Not found' }],
      ];
      for (const [call, json, wanted, body] of table) {
        const answer = await server.api(call, { token: reporter.token, json });
        assert.equal(answer.status, wanted, `${call} ${JSON.stringify(json)}: ${answer.text}`);
        if (body) assert.deepEqual(answer.body, body);
      }
      assert.equal(await status(`POST ${path}`, guest.token, { title: 'x' }), 403);
      assert.equal(await status(`POST ${path}`, null, { title: 'x' }), 401);
    });

    it('can be filtered, and are listed only to users with access', async () => {
      const open = await make({ title: 'Listed alpha', labels: 'listed' });
      const secret = await make({ title: 'Listed beta', confidential: true, labels: 'listed' });
      const below = await make({ title: 'Listed gamma', labels: 'listed' }, reporter.token, inner.id);
      const ids = async (query: string, token: string | null, at = group.id) =>
        (await server.must(`GET /groups/${at}/epics?per_page=100&${query}`, { token })).map(
          (epic: { id: number }) => epic.id,
        );
      assert.deepEqual(await ids('labels=listed&order_by=title&sort=asc', reporter.token), [
        open.id,
        secret.id,
        below.id,
      ]);
      assert.deepEqual(await ids('labels=listed', outsider.token), [open.id]);
      assert.deepEqual(await ids('labels=listed', null), [open.id]);
      assert.deepEqual(await ids('labels=nothing,Any', null), await ids('labels=Any', null));
      assert.deepEqual(await ids('labels=listed&order_by=title&sort=asc', guest.token), [open.id, below.id]);
      assert.deepEqual(await ids('labels=listed&include_descendant_groups=false&confidential=false', reporter.token), [
        open.id,
      ]);
      assert.deepEqual(await ids('labels=listed&confidential=true', reporter.token), [secret.id]);
      assert.deepEqual(await ids('search=gamma', reporter.token), [below.id]);
      assert.deepEqual(await ids('search=Listed&not[labels]=listed', reporter.token), []);
      assert.ok((await ids('include_ancestor_groups=true', reporter.token, inner.id)).includes(open.id));
      assert.equal(await status(`GET /groups/${group.id}/epics/${secret.iid}`, guest.token), 404);
      assert.equal(await status(`GET /groups/${inner.id}/epics/${below.iid}`, outsider.token), 404);
      assert.equal(await status(`GET /groups/${group.id}/epics/${secret.id}/notes`, guest.token), 404);
      assert.equal(await status(`GET /groups/${group.id}/epics?author_id=1&author_username=x`, guest.token), 400);
    });

    it('keep the order of their issues', async () => {
      const epic = await make();
      const path = `/groups/${group.id}/epics/${epic.iid}/issues`;
      const issues = [await issue({ title: 'a' }), await issue({ title: 'b' }), await issue({ title: 'c' })];
      const links: { id: number }[] = [];
      for (const { id } of issues) links.push(await server.must(`POST ${path}/${id}`, { token: reporter.token }));
      const [first, second, third] = links as [{ id: number }, { id: number }, { id: number }];
      const titles = async () => (await server.must(`GET ${path}`)).map((each: { title: string }) => each.title);
      assert.deepEqual(await titles(), ['a', 'b', 'c']);
      assert.equal(await status(`POST ${path}/${issues[0].id}`, reporter.token), 409);
      const moved = await server.must(`PUT ${path}/${third.id}`, {
        token: reporter.token,
        json: { move_before_id: first.id, move_after_id: second.id },
      });
      assert.deepEqual(
        moved.map((each: { title: string }) => each.title),
        ['a', 'c', 'b'],
      );
      const shown = await server.must(`GET /projects/${project.id}/issues/${issues[0].iid}`);
      assert.deepEqual(shown.epic, {
        id: epic.id,
        iid: epic.iid,
        title: epic.title,
        url: `/groups/top/-/epics/${epic.iid}`,
        group_id: group.id,
      });
      assert.equal(shown.epic_iid, epic.iid);
      const found = await server.must(`GET /projects/${project.id}/issues?epic_id=${epic.id}`);
      assert.equal(found.length, 3);
      const removed = await server.api(`DELETE ${path}/${first.id}`, { token: reporter.token });
      assert.deepEqual([removed.status, removed.body.issue.id, removed.body.epic.id], [200, issues[0].id, epic.id]);
      assert.deepEqual(await titles(), ['c', 'b']);
      assert.equal((await server.must(`GET /projects/${project.id}/issues/${issues[0].iid}`)).epic, null);
      const texts = (await server.must(`GET /groups/${group.id}/epics/${epic.id}/notes?sort=asc`)).map(
        (note: { body: string }) => note.body,
      );
      assert.deepEqual(texts.at(-1), `removed issue it#${issues[0].iid}`);
      const notified = await server.must(`GET /projects/${project.id}/issues/${issues[0].iid}/notes?sort=asc`);
      assert.deepEqual(notified.map(({ body }: { body: string }) => body).slice(-2), [
        `added to epic &${epic.iid}`,
        `removed from epic &${epic.iid}`,
      ]);
      const hidden = await issue({ title: 'hidden', confidential: true });
      await server.must(`POST ${path}/${hidden.id}`, { token: reporter.token });
      const seen = await server.must(`GET ${path}`, { token: outsider.token });
      assert.ok(!seen.some((each: { id: number }) => each.id === hidden.id));
      assert.equal(await status(`POST ${path}/${issues[0].id}`, outsider.token), 403);
      assert.equal(await status(`POST ${path}/999999`, reporter.token), 404);
      await server.must(`DELETE /groups/${group.id}/epics/${epic.iid}`);
      assert.equal((await server.must(`GET /projects/${project.id}/issues/${issues[1].iid}`)).epic, null);
    });

    it('can be assigned by the parameters of issues', async () => {
      const epic = await make();
      const made = await issue({ epic_iid: epic.iid });
      assert.equal(made.epic.id, epic.id);
      const cleared = await server.must(`PUT /projects/${project.id}/issues/${made.iid}`, { json: { epic_id: 0 } });
      assert.equal(cleared.epic, null);
      const set = await server.must(`PUT /projects/${project.id}/issues/${made.iid}`, { json: { epic_id: epic.id } });
      assert.equal(set.epic_iid, epic.iid);
      const secret = await make({ confidential: true });
      assert.equal(
        await status(`PUT /projects/${project.id}/issues/${made.iid}`, reporter.token, { epic_id: secret.id }),
        422,
      );
      assert.equal(
        await status(`PUT /projects/${project.id}/issues/${made.iid}`, reporter.token, { epic_id: 99999 }),
        404,
      );
      assert.equal(
        await status(`PUT /groups/${group.id}/epics/${epic.iid}`, reporter.token, { confidential: true }),
        400,
      );
    });

    it('can be nested without cycles', async () => {
      const parent = await make({ title: 'parent' });
      const path = `/groups/${group.id}/epics/${parent.iid}/epics`;
      const one = await server.must(`POST ${path}`, { token: reporter.token, json: { title: 'one' } });
      assert.deepEqual([one.parent_id, one.parent_iid], [parent.id, parent.iid]);
      const two = await make({ title: 'two' });
      await server.must(`POST ${path}/${two.id}`, { token: reporter.token });
      const titles = async () => (await server.must(`GET ${path}`)).map((each: { title: string }) => each.title);
      assert.deepEqual(await titles(), ['one', 'two']);
      assert.equal(await status(`POST ${path}/${two.id}`, reporter.token), 409);
      await server.must(`PUT ${path}/${two.id}`, { token: reporter.token, json: { move_after_id: one.id } });
      assert.deepEqual(await titles(), ['two', 'one']);
      const circle = await server.api(`POST /groups/${group.id}/epics/${one.iid}/epics/${parent.id}`, {
        token: reporter.token,
      });
      assert.equal(circle.status, 400);
      assert.equal((await server.must(`DELETE ${path}/${one.id}`, { token: reporter.token })).parent_id, null);
      assert.deepEqual(await titles(), ['two']);
    });

    it('can be related to each other', async () => {
      const one = await make({ title: 'one' });
      const other = await make({ title: 'other' }, reporter.token, inner.id);
      const path = (epic: { iid: number }, at = group.id) => `/groups/${at}/epics/${epic.iid}/related_epics`;
      const json = { target_group_id: inner.id, target_epic_iid: other.iid, link_type: 'blocks' };
      const made = await server.api(`POST ${path(one)}`, { token: reporter.token, json });
      assert.deepEqual(
        [made.status, made.body.source_epic.id, made.body.target_epic.id, made.body.link_type],
        [201, one.id, other.id, 'blocks'],
      );
      assert.equal(await status(`POST ${path(one)}`, reporter.token, json), 409);
      const itself = { target_group_id: group.id, target_epic_iid: one.iid };
      assert.equal(await status(`POST ${path(one)}`, reporter.token, itself), 422);
      assert.equal(await status(`POST ${path(one)}`, outsider.token, json), 404);
      const kinds = async (call: string, token: string) =>
        (await server.must(`GET ${call}`, { token })).map((epic: { link_type: string }) => epic.link_type);
      assert.deepEqual(await kinds(path(one), reporter.token), ['blocks']);
      assert.deepEqual(await kinds(path(other, inner.id), reporter.token), ['is_blocked_by']);
      assert.deepEqual(await kinds(path(one), outsider.token), [], 'the other epic is in a private group');
      const links = async (token: string, query = '') =>
        (await server.must(`GET /groups/${group.id}/related_epic_links${query}`, { token })).map(
          (link: { id: number; source_epic: { id: number }; target_epic: { id: number } }) => [
            link.id,
            link.source_epic.id,
            link.target_epic.id,
          ],
        );
      assert.deepEqual(await links(reporter.token), [[made.body.id, one.id, other.id]]);
      assert.deepEqual(await links(reporter.token, '?created_before=2001-01-01T00:00:00Z'), []);
      assert.deepEqual(await links(outsider.token), [], 'one epic is in a private group');
      assert.equal(await status(`GET /groups/${inner.id}/related_epic_links`, outsider.token), 404);
      assert.equal(await status(`DELETE ${path(one)}/${made.body.id}`, outsider.token), 403);
      assert.equal(await status(`DELETE ${path(one)}/${made.body.id}`, reporter.token), 200);
      assert.equal(await status(`DELETE ${path(one)}/${made.body.id}`, reporter.token), 404);
    });

    it('have notes', async () => {
      const epic = await make();
      const path = `/groups/${group.id}/epics/${epic.id}/notes`;
      const made = await server.api(`POST ${path}`, { token: outsider.token, json: { body: 'hm' } });
      assert.equal(made.status, 201);
      const { noteable_type, noteable_id, noteable_iid, project_id } = made.body;
      assert.deepEqual([noteable_type, noteable_id, noteable_iid, project_id], ['Epic', epic.id, null, null]);
      const internal = await server.must(`POST ${path}`, {
        token: reporter.token,
        json: { body: 'us', internal: true },
      });
      const bodies = async (token: string) =>
        (await server.must(`GET ${path}`, { token })).map((note: { body: string }) => note.body);
      assert.deepEqual(await bodies(outsider.token), ['hm']);
      assert.deepEqual(await bodies(reporter.token), ['us', 'hm']);
      assert.equal(await status(`GET ${path}/${internal.id}`, guest.token), 404);
      assert.equal(await status(`GET ${path}/${made.body.id}`, guest.token), 200);
      assert.equal(await status(`GET ${path}`, null), 401);
      assert.equal(await status(`GET /groups/${inner.id}/epics/${epic.id}/notes`, reporter.token), 404);
      assert.equal(await status(`PUT ${path}/${made.body.id}`, guest.token, { body: 'x' }), 403);
      assert.equal(await status(`DELETE ${path}/${made.body.id}`, outsider.token), 204);
    });

    it('can be promoted from issues', async () => {
      const { iid } = await issue({ title: 'Big', description: 'plan', labels: 'own' });
      await server.must(`POST /projects/${project.id}/issues/${iid}/notes`, { json: { body: 'said before' } });
      const { services } = server.running;
      const user = await findUser(services.db.read, reporter.id);
      assert.ok(user);
      const caller = actorOnBehalfOf(user);
      const subject = await readableProject(services.db, caller, project.id);
      const state = await readableIssue(services, caller, subject, iid);
      const epic = await services.db.write((trx) => promoteToEpic(services, trx, caller, subject, state, new Map()));
      const shown = await server.must(`GET /groups/${group.id}/epics/${epic.iid}`);
      assert.deepEqual([shown.title, shown.description], ['Big', 'plan']);
      const notes = await server.must(`GET /groups/${group.id}/epics/${epic.id}/notes?sort=asc`);
      assert.deepEqual(
        notes.map((note: { body: string }) => note.body),
        ['said before', `promoted from issue it#${iid}`],
      );
      assert.equal((await server.must(`GET /projects/${project.id}/issues/${iid}`)).state, 'closed');
    });

    it('get consecutive IIDs when created concurrently', async () => {
      const fresh = await server.must('POST /groups', { json: { name: 'Fresh', path: `fresh-${engine}` } });
      await inRounds(async (round) => {
        const made = await atOnce(4, () => server.must(`POST /groups/${fresh.id}/epics`, { json: { title: 'x' } }));
        const iids = made.map(({ iid }) => iid).sort((a, b) => a - b);
        assert.deepEqual(
          iids,
          [1, 2, 3, 4].map((n) => n + round * 4),
        );
      }, 2);
    });

    it('are transferred to the ghost user when their author is deleted', async () => {
      const leaver = await addUser(server, 'leaver');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: leaver.id, access_level: 20 } });
      const epic = await make({}, leaver.token);
      await server.must(`DELETE /users/${leaver.id}`);
      await until(async () => (await server.api(`GET /users/${leaver.id}`)).status === 404);
      assert.equal((await server.must(`GET /groups/${group.id}/epics/${epic.iid}`)).author.username, 'ghost');
    });
  });
});
