import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type HostbServerWorld, sentFor, startHostbServer } from './world.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let world: HostbServerWorld;

  before(async () => {
    world = await startHostbServer({ odd: true });
    server = await startTestServer(engine, ['--allow-local-egress']);
    owner = await addPerson(server, 'owner');
    await server.must('POST /groups', { token: owner.token, json: { name: 'Crew', path: 'crew' } });
  });

  const sent = (over?: Record<string, unknown>) => sentFor(world, over);
  const post = (json: Record<string, unknown>, path = 'hostb_server', token: string | null = owner.token) =>
    server.api(`POST /import/${path}`, { token, json });
  const get = async (place: string): Promise<Answer['body']> =>
    (await server.api(`GET ${place}`, { token: owner.token })).body;
  const ended = async (id: number) => {
    await until(async () => !['scheduled', 'started'].includes((await get(`/projects/${id}/import`)).import_status));
    return get(`/projects/${id}/import`);
  };

  it('imports a repository with its pull requests, comments and activities', async () => {
    let limited = 1;
    world.intercept = ({ path }) => {
      if (!path.endsWith('/pull-requests') || limited === 0) return undefined;
      limited -= 1;
      return { status: 429, headers: { 'retry-after': '1' }, json: {} };
    };
    const made = await post(sent({ target_namespace: 'crew', new_name: 'one' }));
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.import_source, 'http://there/projects/KEY/repos/repo/browse');
    assert.equal(made.body.provider_link, made.body.import_source);
    const status = await ended(made.body.id);
    assert.equal(status.import_status, 'finished', status.import_error);
    assert.equal(status.import_type, 'bitbucket_server');
    assert.deepEqual(
      status.failed_relations.map((failure: Answer['body']) => `${failure.relation_name} ${failure.source}`),
      ['activity 7', 'note 14', 'pull_request 4'],
    );
    const base = `/projects/${made.body.id}`;
    const requests = await get(`${base}/merge_requests?state=all&order_by=created_at&sort=asc`);
    assert.deepEqual(
      requests.map((request: Answer['body']) => [request.iid, request.state, request.sha, request.author.name]),
      [
        [1, 'opened', world.shas.feature, 'Placeholder Kim'],
        [2, 'merged', world.shas.feature, 'Placeholder Kim'],
        [3, 'closed', world.shas.feature, 'Placeholder Kim'],
      ],
    );
    assert.equal(requests[0].description, 'for `@lee`');
    assert.deepEqual(requests[0].reviewers[0].name, 'Placeholder Lee');
    assert.equal(requests[1].merge_user.name, 'Placeholder Kim');
    const notes = await get(`${base}/merge_requests/1/notes?order_by=created_at&sort=asc`);
    const bodies = notes.map((note: Answer['body']) => note.body).sort();
    assert.deepEqual(bodies, ['> hi\n\nanswer', 'approved this merge request', 'hi', 'on a line']);
    const onLine = notes.find((note: Answer['body']) => note.body === 'on a line');
    assert.equal(onLine.position.new_line, 1);
    assert.equal(onLine.position.old_line, null);
  });

  it('supports the personal namespace, alternative parameter names and Bearer tokens', async () => {
    world.scheme = 'Bearer';
    const json = Object.fromEntries(
      Object.entries(sent()).map(([name, value]) => [name.replace('hostb_server', 'bitbucket_server'), value]),
    );
    const made = await post(json, 'bitbucket_server');
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.full_path, `/${owner.user.username}/Repo`);
    assert.equal((await ended(made.body.id)).import_status, 'finished');
    world.scheme = 'Basic';
    const taken = await post(sent());
    assert.equal(taken.status, 422);
    assert.match(taken.body.message.error, /has already been taken/);
  });

  it('rejects invalid requests', async () => {
    assert.equal((await post(sent(), 'hostb_server', null)).status, 401);
    const { hostb_server_repo: _repo, ...rest } = sent();
    assert.deepEqual((await post(rest)).body, { error: 'hostb_server_repo is missing' });
    assert.deepEqual((await post({}, 'bitbucket_server')).body, {
      error:
        'personal_access_token is missing, bitbucket_server_url is missing, bitbucket_server_username is missing, ' +
        'bitbucket_server_project is missing, bitbucket_server_repo is missing',
    });
    const url = await post(sent({ hostb_server_url: 'file:///etc' }));
    assert.equal(url.status, 400);
    assert.match(url.body.message.error, /^Invalid URL: /);
    const stranger = await addPerson(server, 'stranger');
    const denied = await post(sent({ target_namespace: 'crew' }), 'hostb_server', stranger.token);
    assert.equal(denied.status, 401);
    assert.deepEqual(denied.body, { message: { error: "You don't have permissions to import this project" } });
    const missing = await post(sent({ hostb_server_repo: 'other' }));
    assert.equal(missing.status, 400);
    assert.equal(
      missing.body.message.error,
      'Import failed due to a BitBucket Server error: Error 404: Repository does not exist',
    );
    const wrong = await post(sent({ personal_access_token: 'bad-secret' }));
    assert.equal(wrong.status, 400);
    assert.doesNotMatch(wrong.text, /bad-secret/);
  });
});
