import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { atOnce, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { startHosta, token } from '../hosta/world.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let bob: Person;
  let projectId: number;
  const file = '/groups/team/placeholder_reassignments';

  const bring = async (new_name: string) => {
    const json = { personal_access_token: token, repo_id: 77, target_namespace: 'team', new_name };
    const { id } = await server.must('POST /import/hosta', { token: owner.token, json });
    await until(async () => (await server.must(`GET /projects/${id}/import`)).import_status === 'finished');
    return id;
  };
  const send = (text: string, who: Person | null = owner, place = file): Promise<Answer> => {
    const body = new FormData();
    body.append('file', new Blob([text]), 'people.csv');
    return server.api(`POST ${place}`, { token: who?.token ?? null, body });
  };
  const requested = async (who: Person) => server.must('GET /import/source_users', { token: who.token });

  before(async () => {
    const world = await startHosta({ plainIssues: 1 });
    server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', world.url]);
    owner = await addPerson(server, 'owner');
    bob = await addPerson(server, 'bob');
    const json = { name: 'Team', path: 'team', visibility: 'public' };
    await server.must('POST /groups', { token: owner.token, json });
    projectId = await bring('first');
  });

  it('Owners propose a reassignment, and only the named user can accept it', async () => {
    const empty = await server.api(`GET ${file}`, { token: owner.token });
    assert.equal(empty.status, 200, empty.text);
    const [header = '', ...people] = empty.text.trim().split('\n');
    assert.equal(
      header,
      'Source host,Import type,Source user identifier,Source user name,Source username,GitLab username,GitLab public email',
    );
    const line = people.find((text) => text.includes(',bob-b,')) ?? '';
    assert.match(line, /^http:\/\/127\.0\.0\.1:\d+,github,12,Name of bob-b,bob-b,,$/);
    assert.equal(people.length, 2);

    const filled = `${header}\n${line.replace(/,,$/, `,${bob.user.username},`)}\n`;
    const anonymous = `${header}\n${line.replace(/,,$/, ',no-such-user,')}\n`;
    const refused = await send(anonymous);
    assert.deepEqual(refused.body.failures, [{ row: 2, error: 'User not found' }]);
    const taken = await send(filled);
    assert.equal(taken.status, 201, taken.text);
    assert.deepEqual(taken.body.failures, []);
    const again = await send(filled);
    assert.deepEqual(again.body.failures, [{ row: 2, error: 'Placeholder not found or already reassigned' }]);

    const [question, ...more] = await requested(bob);
    assert.equal(more.length, 0);
    assert.equal(question.source_username, 'bob-b');
    assert.equal(question.status, 'awaiting_approval');
    assert.deepEqual(await requested(owner), []);
    const answer = (word: string, who: Person | null, id: unknown = question.id) =>
      server.api(`POST /import/source_users/${id}/${word}`, { token: who?.token ?? null });
    assert.equal((await answer('accept', null)).status, 401);
    assert.equal((await answer('accept', owner)).status, 404);
    assert.equal((await answer('accept', bob, 987_654)).status, 404);
    assert.equal((await answer('accept', bob, 'x')).status, 400);

    assert.equal((await answer('reject', bob)).body.status, 'rejected');
    assert.equal((await answer('accept', bob)).status, 404, 'the request has already been answered');
    assert.deepEqual(await requested(bob), []);
    await send(filled);

    // Bob has his own issue there, and one that he and his placeholder both contributed to.
    const issue = `/projects/${projectId}/issues/1`;
    const before = await server.must(`GET ${issue}`);
    const assignee_ids = [...before.assignees.map(({ id }: { id: number }) => id), bob.user.id];
    await server.db.write((trx) =>
      trx
        .insertInto('issue_assignees')
        .values({ issue_id: before.id, user_id: bob.user.id, project_id: before.project_id })
        .execute(),
    );
    assert.equal(assignee_ids.length, 3);
    const [again2] = await requested(bob);
    assert.equal((await answer('accept', bob, again2.id)).body.status, 'reassignment_in_progress');
    await until(async () => (await server.api(`GET /users/${question.placeholder_user_id}`)).status === 404);

    const after = await server.must(`GET ${issue}`);
    assert.equal(after.author.username, bob.user.username);
    assert.deepEqual(after.assignees.map(({ name }: { name: string }) => name).sort(), [
      'Placeholder Name of ann',
      'bob',
    ]);
    const notes = await server.must(`GET ${issue}/notes`);
    assert.ok(notes.some((note: Answer['body']) => note.author.username === bob.user.username));
    const request = await server.must(`GET /projects/${projectId}/merge_requests/2`);
    assert.deepEqual(
      request.reviewers.map(({ username }: { username: string }) => username),
      [bob.user.username],
    );
    const merged = await server.must(`GET /projects/${projectId}/merge_requests/4`);
    assert.equal(merged.merge_user.username, bob.user.username);
    const approvals = await server.must(`GET /projects/${projectId}/merge_requests/2/approvals`);
    assert.equal(approvals.approved_by[0].user.username, bob.user.username);
    assert.equal((await server.api(`GET ${file}`, { token: owner.token })).text.includes('bob-b'), false);

    const second = await bring('second');
    const there = await server.must(`GET /projects/${second}/issues/1`);
    assert.equal(there.author.username, bob.user.username, 'the next import maps him directly');
  });

  it('rejects administrators unless the instance allows them', async () => {
    const [header, line = ''] = (await server.api(`GET ${file}`, { token: owner.token })).text.trim().split('\n');
    const toRoot = `${header}\n${line.replace(/,,$/, ',root,')}\n`;
    const error = 'Administrators cannot be assigned on this instance';
    assert.deepEqual((await send(toRoot)).body.failures, [{ row: 2, error }]);
    assert.deepEqual(await server.must('GET /import/source_users'), []);
    await server.must('PUT /application/settings', { json: { allow_contribution_mapping_to_admins: true } });
    assert.deepEqual((await send(toRoot)).body.failures, []);
    assert.equal((await server.must('GET /import/source_users')).length, 1);
  });

  it('requires Owners of the root group and a valid file', async () => {
    const maintainer = await addPerson(server, 'maintainer');
    const [{ id }] = await server.must('GET /groups?search=team');
    const json = { user_id: maintainer.user.id, access_level: Role.maintainer };
    await server.must(`POST /groups/${id}/members`, { json });
    const below = await server.must('POST /groups', { json: { name: 'Below', path: 'below', parent_id: id } });
    assert.equal((await server.api(`GET ${file}`, { token: null })).status, 401);
    assert.equal((await server.api(`GET ${file}`, { token: maintainer.token })).status, 403);
    assert.equal((await send('x', maintainer)).status, 403);
    assert.equal((await send('x', null)).status, 401);
    assert.equal((await send('x', owner, `/groups/${below.id}/placeholder_reassignments`)).status, 404);
    assert.equal((await send('a,b\n1,2\n')).status, 400);
    assert.equal((await send('"open')).status, 400);
    assert.equal((await send('a'.repeat(3 * 1024 * 1024))).status, 413);
    assert.equal((await server.api(`POST ${file}`, { token: owner.token, json: {} })).status, 400);
  });

  it('Owners can also reassign individual source users', async () => {
    const place = '/groups/team/import_source_users';
    const [before] = await server.must('GET /import/source_users');
    await server.must(`POST /import/source_users/${before.id}/reject`);
    const all = await server.must(`GET ${place}`, { token: owner.token });
    const one = await server.api(`GET ${place}?per_page=1&page=2`, { token: owner.token });
    assert.deepEqual(one.body, all.slice(1, 2));
    const open = all.find(
      ({ status }: { status: string }) => status === 'pending_reassignment' || status === 'rejected',
    );
    const say = (username: string, id = open?.id, who: Person | null = owner) =>
      server.api(`POST ${place}/${id}/reassign`, { token: who?.token ?? null, json: { username } });
    assert.equal((await say(bob.user.username, open?.id, null)).status, 401);
    assert.equal((await say(bob.user.username, open?.id, bob)).status, 403);
    assert.equal((await server.api(`GET ${place}`, { token: bob.token })).status, 403);
    assert.equal((await say(bob.user.username, 999_999)).status, 404);
    assert.equal((await say(' ')).status, 400);
    assert.equal((await say('no-such-user')).body.message, 'User not found');
    const answers = await atOnce(4, () => say(`@${bob.user.username}`));
    assert.deepEqual(statuses(answers), { 201: 1, 400: 3 });
    assert.equal(answers.find(({ status }) => status === 201)?.body.status, 'awaiting_approval');
    const below = await server.api('GET /groups/team%2Fbelow/import_source_users', { token: owner.token });
    assert.equal(below.status, 404);
  });

  it('source users beyond the limit share an account that cannot be reassigned', async () => {
    const world = await startHosta({ plainIssues: 1 });
    const flags = ['--allow-local-egress', '--hosta-url', world.url, '--import-people', '1'];
    const small = await startTestServer(engine, flags);
    const { token: mine } = await addPerson(small, 'owner');
    await small.must('POST /groups', { token: mine, json: { name: 'Few', path: 'few' } });
    const json = { personal_access_token: token, repo_id: 77, target_namespace: 'few', new_name: 'met' };
    const { id } = await small.must('POST /import/hosta', { token: mine, json });
    await until(async () => (await small.must(`GET /projects/${id}/import`)).import_status === 'finished');
    const people = await small.must('GET /groups/few/import_source_users', { token: mine });
    const names = people.map((one: { source_name: string; status: string }) => [one.source_name, one.status]);
    assert.equal(names.length, 2);
    assert.deepEqual(names[0], ['Import User', 'completed']);
    assert.equal(names[1][1], 'pending_reassignment');
    const issues = await small.must(`GET /projects/${id}/issues?scope=all`, { token: mine });
    const authors = new Set(issues.map((issue: { author: { name: string } }) => issue.author.name));
    assert.ok(authors.has('Import User'), [...authors].join());
    const url = `POST /groups/few/import_source_users/${people[0].id}/reassign`;
    const { status } = await small.api(url, { token: mine, json: { user_id: bob.user.id, username: 'owner' } });
    assert.ok(status >= 400 && status < 500, `${status}`);
  });
});
