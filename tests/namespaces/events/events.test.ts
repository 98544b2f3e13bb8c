import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { actionName } from '../../../src/namespaces/events/event.ts';
import { type NewEvent, recordEvent } from '../../../src/namespaces/events/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const day = 24 * 60 * 60 * 1000;
const noon = Date.parse('2026-03-10T12:00:00Z');

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let other: Person;
  let hidden: Project;
  let open: Project;

  const record = (event: Partial<NewEvent> & Pick<NewEvent, 'projectId'>) =>
    server.db.write((trx) =>
      recordEvent(trx, { authorId: owner.user.id, action: 'created', audience: 'project', at: noon, ...event }),
    );
  const titles = (events: { target_title: string | null }[]) => events.map((event) => event.target_title);
  const issue = (id: number, title: string) => ({ type: 'Issue' as const, id, iid: id, title });

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
    other = await addPerson(server, 'other');
    hidden = await addProject(server, owner, 'hidden');
    open = await addProject(server, owner, 'open', 'public');
    await server.db.write((trx) => trx.deleteFrom('events').execute());
    await record({ projectId: open.id, audience: 'issues', target: issue(1, 'opened') });
    await record({
      projectId: open.id,
      audience: 'issues',
      action: 'closed',
      target: issue(1, 'closed'),
      at: noon + day,
    });
    await record({ projectId: open.id, audience: 'confidential', target: issue(2, 'secret'), at: noon + 2 * day });
    await record({ projectId: hidden.id, audience: 'issues', target: issue(3, 'hidden'), at: noon + 3 * day });
    await record({
      projectId: open.id,
      audience: 'merge_requests',
      action: 'merged',
      target: { type: 'MergeRequest', id: 1, iid: 1, title: 'merged' },
      at: noon + 4 * day,
    });
    await record({
      projectId: open.id,
      authorId: other.user.id,
      audience: 'issues',
      target: issue(4, 'by other'),
      at: noon + 5 * day,
    });
    await record({
      projectId: null,
      action: 'joined',
      target: { type: 'User', id: 1, title: 'outside' },
      at: noon + 6 * day,
    });
  });

  it('lists the events of a project, newest first', async () => {
    const answer = await server.api(`GET /projects/${open.id}/events`, { token: owner.token });
    assert.deepEqual(titles(answer.body), ['by other', 'merged', 'secret', 'closed', 'opened']);
    assert.equal(answer.headers.get('x-total'), '5');
    const [, merged] = answer.body;
    assert.deepEqual(
      [
        merged.action_name,
        merged.target_type,
        merged.target_iid,
        merged.author_username,
        merged.author.id,
        merged.imported,
      ],
      ['accepted', 'MergeRequest', 1, owner.user.username, owner.user.id, false],
    );
    assert.equal(merged.created_at, '2026-03-14T12:00:00.000Z');
    const oldest = await server.must(`GET /projects/${open.id}/events?sort=asc&per_page=1&page=2`);
    assert.deepEqual(titles(oldest), ['closed']);
  });

  it('hides events that the reader may not see', async () => {
    for (const token of [other.token, null]) {
      const seen = await server.must(`GET /projects/${open.id}/events`, { token });
      assert.deepEqual(titles(seen), ['by other', 'merged', 'closed', 'opened']);
      assert.equal((await server.api(`GET /projects/${hidden.id}/events`, { token })).status, 404);
      const ofOwner = await server.must(`GET /users/${owner.user.username}/events`, { token });
      assert.deepEqual(titles(ofOwner), ['merged', 'closed', 'opened']);
    }
    const own = await server.must(`GET /users/${owner.user.id}/events`, { token: owner.token });
    assert.deepEqual(titles(own), ['outside', 'merged', 'hidden', 'secret', 'closed', 'opened']);
    const admin = await server.must(`GET /users/${owner.user.id}/events`);
    assert.equal(admin.length, 6);
  });

  it('respects roles and feature access levels', async () => {
    const member = await addPerson(server, 'member');
    await record({ projectId: hidden.id, audience: 'code', action: 'pushed', at: noon + 7 * day, push: push('main') });
    await addMember(server, hidden, member, Role.guest);
    const seen = async () => (await server.must(`GET /users/${owner.user.id}/events`, { token: member.token })).length;
    const inProject = async () =>
      (await server.must(`GET /projects/${hidden.id}/events`, { token: member.token })).length;
    assert.deepEqual([await seen(), await inProject()], [4, 1]);
    await server.db.write((trx) =>
      trx.updateTable('members').set({ access_level: Role.planner }).where('user_id', '=', member.user.id).execute(),
    );
    assert.deepEqual([await seen(), await inProject()], [5, 2]);
    const setIssues = (issues_access: number) =>
      server.db.write((trx) => trx.updateTable('projects').set({ issues_access }).where('id', '=', open.id).execute());
    await setIssues(10);
    const outside = await server.must(`GET /users/${owner.user.id}/events`, { token: other.token });
    assert.deepEqual(titles(outside), ['merged']);
    await setIssues(20);
  });

  it('lists the events of a group hierarchy that are visible to the reader', async () => {
    const { json } = { json: { name: 'Crew', path: `crew-${engine}`, visibility: 'public' } };
    const group = await server.must('POST /groups', { json });
    const below = await server.must('POST /groups', {
      json: { name: 'Below', path: 'below', parent_id: group.id, visibility: 'public' },
    });
    const [first, second] = await Promise.all(
      [group.id, below.id].map((namespace_id, at) =>
        server.must('POST /projects', { json: { name: `p${at}`, namespace_id, visibility: 'public' } }),
      ),
    );
    const secret = await server.must('POST /projects', { json: { name: 'secret', namespace_id: group.id } });
    await server.db.write((trx) =>
      trx.deleteFrom('events').where('project_id', 'in', [first.id, second.id, secret.id]).execute(),
    );
    const at = (projectId: number, title: string, days: number, audience: 'issues' | 'confidential' = 'issues') =>
      record({ projectId, audience, target: issue(90 + days, title), at: noon + days * day, authorId: other.user.id });
    await at(first.id, 'first', 1);
    await at(second.id, 'second', 2);
    await at(first.id, 'third', 3);
    await at(secret.id, 'hidden', 4);
    await at(second.id, 'confidential', 5, 'confidential');
    const call = `GET /groups/${group.id}/events`;
    for (const token of [null, owner.token])
      assert.deepEqual(titles(await server.must(call, { token })), ['third', 'second', 'first']);
    const answer = await server.api(`${call}?per_page=2&page=2`);
    assert.deepEqual(titles(answer.body), ['third', 'second']);
    assert.equal(answer.headers.get('x-total'), '5');
    assert.deepEqual(titles(await server.must(`${call}?sort=asc&before=2026-03-12`)), ['first']);
    assert.deepEqual(
      await server.must(
        `GET /groups/${(await server.must('POST /groups', { json: { name: 'Void', path: `void-${engine}` } })).id}/events`,
      ),
      [],
    );
    await server.must(`PUT /groups/${group.id}`, { json: { description: 'still public' } });
    assert.equal((await server.api('GET /groups/no-such/events', { token: null })).status, 404);
    await server.db.write((trx) =>
      trx.deleteFrom('events').where('project_id', 'in', [first.id, second.id, secret.id]).execute(),
    );
  });

  it("counts a user's events per day that are visible to the reader", async () => {
    const painter = await addPerson(server, 'painter');
    const [today, before] = [Date.now(), Date.now() - 10 * day];
    const mine = { authorId: painter.user.id, audience: 'issues' as const };
    await record({ ...mine, projectId: open.id, target: issue(61, 'a'), at: before });
    await record({ ...mine, projectId: open.id, target: issue(62, 'b'), at: today });
    await record({ ...mine, projectId: hidden.id, target: issue(63, 'c'), at: today });
    await record({ ...mine, projectId: open.id, target: issue(64, 'old'), at: today - 400 * day });
    await record({ ...mine, projectId: open.id, action: 'joined', at: today });
    const on = (at: number) => new Date(at).toISOString().slice(0, 10);
    const call = `GET /users/${painter.user.username}/calendar`;
    const seen = { [on(before)]: 1, [on(today)]: 1 };
    assert.deepEqual(await server.must(call, { token: null }), seen);
    assert.deepEqual(await server.must(call, { token: owner.token }), { ...seen, [on(today)]: 2 });
    await server.must(`PUT /users/${painter.user.id}`, { json: { private_profile: true } });
    assert.equal((await server.api(call, { token: owner.token })).status, 404);
    assert.deepEqual(await server.must(call, { token: painter.token }), seen);
    await server.db.write((trx) => trx.deleteFrom('events').where('author_id', '=', painter.user.id).execute());
  });

  it("lists the caller's events or, with scope=all, those of the caller's projects", async () => {
    const own = await server.must('GET /events', { token: other.token });
    assert.deepEqual(titles(own), ['by other']);
    await addMember(server, open, other, Role.developer);
    const all = await server.must('GET /events?scope=all', { token: other.token });
    assert.deepEqual(titles(all), ['by other', 'merged', 'secret', 'closed', 'opened']);
    const answer = await server.api('GET /events', { token: null });
    assert.deepEqual([answer.status, answer.body], [401, { message: '401 Unauthorized' }]);
  });

  it('filters by action, target type and date', async () => {
    const ask = async (query: string) => titles(await server.must(`GET /projects/${open.id}/events?${query}`));
    assert.deepEqual(await ask('action=closed'), ['closed']);
    assert.deepEqual(await ask('action=merged&target_type=merge_request'), ['merged']);
    assert.deepEqual(await ask('target_type=issue&before=2026-03-11'), ['opened']);
    assert.deepEqual(await ask('after=2026-03-14'), ['by other']);
    assert.deepEqual(await ask('after=2026-03-10&before=2026-03-12'), ['closed']);
    for (const [query, error] of [
      ['action=nonsense', 'action does not have a valid value'],
      ['target_type=x', 'target_type does not have a valid value'],
      ['sort=x', 'sort does not have a valid value'],
      ['before=x', 'before is invalid'],
    ]) {
      const answer = await server.api(`GET /projects/${open.id}/events?${query}`);
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
    }
  });

  it('records users joining and leaving a project', async () => {
    const project = await addProject(server, owner, 'coming-and-going', 'public');
    const comer = await addPerson(server, 'comer');
    const members = `/projects/${project.id}/members`;
    const json = { user_id: comer.user.id, access_level: 30 };
    await server.must(`POST ${members}`, { token: owner.token, json });
    await server.must(`PUT ${members}/${comer.user.id}`, { token: owner.token, json: { access_level: 20 } });
    assert.equal((await server.api(`DELETE ${members}/${comer.user.id}`, { token: owner.token })).status, 204);
    const own = await server.must(`GET /users/${comer.user.id}/events`);
    assert.deepEqual(
      own.map((event: { action_name: string; project_id: number; target_type: unknown; author_username: string }) => [
        event.action_name,
        event.project_id,
        event.target_type,
        event.author_username,
      ]),
      [
        ['left', project.id, null, comer.user.username],
        ['joined', project.id, null, comer.user.username],
      ],
    );
    assert.equal((await server.must(`GET /projects/${project.id}/events?action=joined`)).length, 1);
    assert.deepEqual(await server.must(`GET /users/${comer.user.id}/contributed_projects`), []);
  });

  it('hides the events of private profiles and unknown users', async () => {
    const shy = await addPerson(server, 'shy', { columns: { private_profile: 1 } });
    assert.equal((await server.api(`GET /users/${shy.user.id}/events`, { token: other.token })).status, 404);
    assert.equal((await server.api(`GET /users/${shy.user.id}/events`, { token: shy.token })).status, 200);
    const none = await server.api('GET /users/nobody-at-all/events');
    assert.deepEqual([none.status, none.body], [404, { message: '404 User Not Found' }]);
  });

  it('omits the total of a user with too many events but ends the list', async () => {
    const busy = await addPerson(server, 'busy');
    const many = 10_030;
    await server.db.write((trx) =>
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${many})
        insert into events (project_id, author_id, action, audience, created_at)
        select ${open.id}, ${busy.user.id}, 'pushed', 'project', i from n`.execute(trx),
    );
    const ask = (page: number, more = '') => server.api(`GET /events?per_page=100&page=${page}${more}`, busy);
    const first = await ask(1);
    assert.equal(first.body.length, 100);
    assert.equal(first.headers.get('x-total'), null);
    assert.equal(first.headers.get('x-next-page'), '2');
    const last = await ask(101);
    assert.equal(last.body.length, 30);
    assert.equal(last.headers.get('x-next-page'), '');
    assert.equal((await ask(1, '&action=created')).headers.get('x-total'), '0');
  });

  it('needs the same number of queries for many events as for few', async () => {
    const busy = await addProject(server, owner, 'busy', 'public');
    const add = async (count: number) => {
      for (let n = 0; n < count; n++) await record({ projectId: busy.id, target: issue(n, `n${n}`) });
    };
    const count = (path: string) => server.queriesOf(() => server.must(`GET ${path}`, { token: other.token }));
    const paths = [`/projects/${busy.id}/events`, `/users/${owner.user.id}/events`, '/events?scope=all'];
    await add(3);
    for (const path of paths) await count(path);
    const few = await Promise.all(paths.map(() => 0));
    for (const [index, path] of paths.entries()) few[index] = await count(path);
    await add(6);
    for (const [index, path] of paths.entries()) assert.equal(await count(path), few[index]);
  });
});

function push(ref: string): NonNullable<NewEvent['push']> {
  return {
    action: 'pushed',
    refType: 'branch',
    ref,
    refCount: null,
    commitCount: 1,
    commitFrom: '1'.repeat(40),
    commitTo: '2'.repeat(40),
    commitTitle: 'x',
  };
}

describe('event action name', () => {
  const table = [
    ['created', 'Issue', null, 'opened'],
    ['created', 'Milestone', null, 'opened'],
    ['reopened', 'Issue', null, 'opened'],
    ['created', null, null, 'created'],
    ['created', 'WikiPage::Meta', null, 'created'],
    ['imported', null, null, 'imported'],
    ['commented', 'Note', null, 'commented on'],
    ['merged', 'MergeRequest', null, 'accepted'],
    ['expired', null, null, 'removed due to membership expiration from'],
    ['pushed', null, 'created', 'pushed new'],
    ['pushed', null, 'pushed', 'pushed to'],
    ['pushed', null, 'removed', 'deleted'],
  ] as const;
  for (const [action, target_type, push_action, word] of table) {
    it(`${action} ${target_type ?? ''} ${push_action ?? ''}`, () =>
      assert.equal(actionName({ action, target_type, push_action }), word));
  }
});
