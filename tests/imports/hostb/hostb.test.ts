import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type HostbWorld, kim, secret, startHostb } from './world.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let world: HostbWorld;

  before(async () => {
    world = await startHostb({ odd: true });
    server = await startTestServer(engine, ['--allow-local-egress', '--hostb-url', world.url]);
    owner = await addPerson(server, 'owner');
  });

  const post = (json: Record<string, unknown>, path = 'hostb', token: string | null = owner.token) =>
    server.api(`POST /import/${path}`, { token, json });
  const good = () => ({
    repo_path: 'ws/slug',
    target_namespace: owner.user.username,
    hostb_email: 'pat@example.com',
    hostb_api_token: secret,
  });
  const get = async (place: string): Promise<Answer['body']> =>
    (await server.api(`GET ${place}`, { token: owner.token })).body;

  it('imports a repository with its pull requests and issues', async () => {
    let broken = 1;
    world.intercept = ({ path }) => {
      if (!path.endsWith('/issues') || broken === 0) return undefined;
      broken -= 1;
      return { status: 500, json: {} };
    };
    const made = await post(good());
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.import_source, 'ws/slug');
    const base = `/projects/${made.body.id}`;
    await until(async () => !['scheduled', 'started'].includes((await get(`${base}/import`)).import_status));
    const status = await get(`${base}/import`);
    assert.equal(status.import_status, 'finished', status.import_error);
    assert.deepEqual(
      status.failed_relations.map((failure: Answer['body']) => [
        failure.relation_name,
        failure.source.replace(/ [0-9a-f]{8} /, ' PAGE '),
        failure.exception_message,
      ]),
      [
        ['issue', '/repositories/ws/slug/issues PAGE 1', 'must be object'],
        ['note', 'MergeRequest/10', 'content must be object'],
        ['pull_request', '4', 'title must be string'],
      ],
    );
    const project = await get(base);
    assert.equal(project.default_branch, 'trunk');
    assert.equal(project.visibility, 'private');
    assert.doesNotMatch(JSON.stringify(project), /pat@|cloud-secret/);
    const requests = await get(`${base}/merge_requests?state=all&order_by=created_at&sort=asc`);
    assert.deepEqual(
      requests.map((request: Answer['body']) => [request.iid, request.state, request.sha]),
      [
        [1, 'opened', world.shas.feature],
        [2, 'closed', world.shas.feature],
        [5, 'merged', world.shas.feature],
      ],
    );
    const response = await get(`${base}/merge_requests/1/notes?order_by=created_at&sort=asc`);
    const here = `${server.url}/${owner.user.username}/slug/-/issues/1`;
    assert.deepEqual(
      response.map((note: Answer['body']) => [note.body, note.position?.new_path, note.position?.new_line]),
      [
        [`*Created by: pat*\n\nlook \`@kim\`, ${here}`, 'b.txt', 1],
        ['*Created by: pat*\n\nyes', 'b.txt', 1],
        ['*Comment on b.txt: --> b.txt:*\n\n*Created by: pat*\n\nnowhere', undefined, undefined],
      ],
    );
    const [thread] = await get(`${base}/merge_requests/1/discussions`);
    assert.equal(thread.notes.length, 2);
    assert.deepEqual(
      [thread.notes[0].position.base_sha, thread.notes[0].position.head_sha],
      [world.shas.main, world.shas.feature],
    );
    const issues = await get(`${base}/issues?order_by=created_at&sort=asc`);
    assert.deepEqual(
      issues.map((issue: Answer['body']) => [
        ...[issue.iid, issue.state, issue.labels, issue.milestone?.title, issue.description],
      ]),
      [
        [1, 'opened', ['bug'], 'First', '*Created by: pat*\n\nit `@breaks`'],
        [2, 'closed', ['task'], undefined, ''],
        [3, 'opened', ['bug'], 'First', '*Created by: kim*\n\n'],
      ],
    );
    const notes = await get(`${base}/issues/1/notes`);
    assert.deepEqual(
      notes.map((note: Answer['body']) => note.body),
      ['*Created by: pat*\n\nsame here'],
    );
  });

  it('maps group members who have linked their accounts', async () => {
    const known = await addPerson(server, 'known');
    const json = { provider: 'bitbucket', extern_uid: kim.uuid };
    await server.must(`PUT /users/${known.user.id}`, { json });
    await server.must('POST /groups', { token: owner.token, json: { name: 'Crew', path: 'crew' } });
    const { id } = (await post({ ...good(), target_namespace: 'crew' })).body;
    await until(async () => !['scheduled', 'started'].includes((await get(`/projects/${id}/import`)).import_status));
    const request = (number: number) => get(`/projects/${id}/merge_requests/${number}`);
    const [open, superseded, merged] = [await request(1), await request(2), await request(5)];
    assert.deepEqual(
      [open.author.id, open.reviewers.map((user: Answer['body']) => user.id)],
      [owner.user.id, [known.user.id]],
    );
    assert.equal(superseded.closed_by.id, known.user.id);
    assert.deepEqual([merged.author.id, merged.merge_user.id], [known.user.id, known.user.id]);
    assert.equal(merged.description, 'words');
    const issue = await get(`/projects/${id}/issues/3`);
    assert.deepEqual([issue.author.id, issue.description], [known.user.id, '']);
  });

  it('rejects invalid requests', async () => {
    const { hostb_email, hostb_api_token, ...rest } = good();
    assert.equal((await post(good(), 'hostb', null)).status, 401);
    const table: [Record<string, unknown>, string, string][] = [
      [
        { ...rest },
        'hostb',
        'hostb_app_password, hostb_api_token are missing, at least one parameter must be provided',
      ],
      [{ ...rest, hostb_email }, 'hostb', 'hostb_email, hostb_api_token provide all or none of parameters'],
      [
        { ...rest, bitbucket_email: 'x' },
        'bitbucket',
        'bitbucket_email, bitbucket_api_token provide all or none of parameters',
      ],
      [
        { ...rest, hostb_email, hostb_api_token, hostb_username: 'x', hostb_app_password: 'y' },
        'hostb',
        'hostb_app_password, hostb_api_token are mutually exclusive',
      ],
    ];
    for (const [json, path, error] of table) {
      const answer = await post(json, path);
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
    }
    const wrong = await post({ ...good(), hostb_api_token: 'bad' });
    assert.deepEqual(
      [wrong.status, wrong.body],
      [401, { message: { error: 'Unable to authorize with Bitbucket. Check your credentials' } }],
    );
    const missing = await post({ ...good(), repo_path: 'ws/none' });
    assert.deepEqual(
      [missing.status, missing.body],
      [422, { message: { error: 'Project ws/none could not be found' } }],
    );
    const stranger = await addPerson(server, 'stranger');
    assert.equal((await post(good(), 'hostb', stranger.token)).status, 401);
  });
});
