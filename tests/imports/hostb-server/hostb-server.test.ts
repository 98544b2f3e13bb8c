import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type BareRepository, startBareRepository } from '../../support/git-http-backend.ts';
import { type HostCall, type JsonHost, startJsonHost } from '../../support/json-host.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const secret = 'server-secret/token';
const at = Date.UTC(2020, 0, 5);
const kim = { name: 'kim', slug: 'kim', displayName: 'Kim', emailAddress: 'kim@example.com' };
const lee = { name: 'lee', slug: 'lee', displayName: 'Lee' };

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let host: JsonHost;
  let bare: BareRepository;
  let shas: { main: string; feature: string };
  let scheme: 'Basic' | 'Bearer' = 'Basic';
  let limited = 0;

  before(async () => {
    bare = await startBareRepository('kim', secret);
    const client = new GitClient();
    await client.init();
    await client.commit({ 'a.txt': 'one\n' }, 'first');
    const main = await client.git('rev-parse', 'HEAD');
    await client.git('checkout', '-q', '-b', 'feature');
    const feature = await client.commit({ 'b.txt': 'two\n' }, 'second');
    bare.git('fetch', '-q', client.folder, 'main:refs/heads/main', 'feature:refs/heads/feature');
    shas = { main, feature };
    const pull = (id: number, state: string) => ({
      id,
      title: `Pull ${id}`,
      description: 'for @lee',
      state,
      createdDate: at + id,
      updatedDate: at + 100 + id,
      fromRef: { id: 'refs/heads/feature', latestCommit: feature },
      toRef: { id: 'refs/heads/main', latestCommit: main },
      author: { user: kim },
      reviewers: [{ user: lee }],
    });
    const pulls = [pull(1, 'OPEN'), pull(2, 'MERGED'), pull(3, 'DECLINED'), { ...pull(4, 'OPEN'), createdDate: 9e15 }];
    const comment = (id: number, text: string, comments: unknown[] = []) => ({
      ...{ id, text, comments },
      author: lee,
      createdDate: at + id,
    });
    const activities: Record<string, unknown[]> = {
      1: [
        {
          id: 1,
          action: 'COMMENTED',
          createdDate: at,
          user: lee,
          comment: comment(11, 'hi', [{ id: 14, text: {} }, comment(12, 'answer')]),
        },
        {
          id: 2,
          action: 'COMMENTED',
          createdDate: at,
          user: lee,
          comment: comment(13, 'on a line'),
          commentAnchor: { path: 'b.txt', line: 1, lineType: 'ADDED', fromHash: main, toHash: feature },
          diff: {
            hunks: [{ segments: [{ type: 'ADDED', lines: [{ source: 0, destination: 1, commentIds: [13] }] }] }],
          },
        },
        { id: 3, action: 'APPROVED', createdDate: at, user: lee },
        { id: 4, action: 'RESCOPED', createdDate: at, user: lee },
        { id: 7, action: {}, createdDate: at, user: lee },
      ],
      2: [{ id: 5, action: 'MERGED', createdDate: at, user: lee, commit: { id: main, committer: kim } }],
      3: [{ id: 6, action: 'DECLINED', createdDate: at, user: lee }],
    };
    const paged = (list: readonly unknown[], { query }: HostCall) => {
      const start = Number(query.get('start'));
      const end = start + 2;
      const last = end >= list.length;
      return { json: { values: list.slice(start, end), isLastPage: last, nextPageStart: last ? null : end } };
    };
    const repo = {
      slug: 'repo',
      name: 'Repo',
      description: 'there',
      project: { key: '~KEY', public: false },
      links: {
        clone: [
          { name: 'ssh', href: 'ssh://x' },
          { name: 'http', href: bare.url.replace(/\/\/[^@]*@/, '//') },
        ],
        self: [{ href: 'http://there/projects/KEY/repos/repo/browse' }],
      },
    };
    host = await startJsonHost((call) => {
      const basic = `Basic ${Buffer.from(`kim:${secret}`).toString('base64')}`;
      const expected = scheme === 'Basic' ? basic : `Bearer ${secret}`;
      if (call.headers.authorization !== expected)
        return { status: 401, json: { errors: [{ message: 'who are you' }] } };
      const [, place] = /^\/ctx\/rest\/api\/1\.0\/projects\/~KEY\/repos\/repo(.*)$/.exec(call.path) ?? [];
      if (place === '') return { json: repo };
      if (place === '/pull-requests' && limited > 0) {
        limited -= 1;
        return { status: 429, headers: { 'retry-after': '1' }, json: {} };
      }
      if (place === '/pull-requests') return paged(pulls, call);
      const [, number] = /^\/pull-requests\/(\d+)\/activities$/.exec(place ?? '') ?? [];
      if (number !== undefined) return paged(activities[number] ?? [], call);
      return { status: 404, json: { errors: [{ message: 'Repository does not exist' }] } };
    });
    server = await startTestServer(engine, ['--allow-local-egress']);
    owner = await addPerson(server, 'owner');
    await server.must('POST /groups', { token: owner.token, json: { name: 'Crew', path: 'crew' } });
  });

  const sent = (over: Record<string, unknown> = {}) => ({
    hostb_server_url: `${host.url}/ctx`,
    hostb_server_username: 'kim',
    personal_access_token: secret,
    hostb_server_project: '~KEY',
    hostb_server_repo: 'repo',
    ...over,
  });
  const post = (json: Record<string, unknown>, path = 'hostb_server', token: string | null = owner.token) =>
    server.api(`POST /import/${path}`, { token, json });
  const get = async (place: string): Promise<Answer['body']> =>
    (await server.api(`GET ${place}`, { token: owner.token })).body;
  const ended = async (id: number) => {
    await until(async () => !['scheduled', 'started'].includes((await get(`/projects/${id}/import`)).import_status));
    return get(`/projects/${id}/import`);
  };

  it('brings a repository with its requests and what was said and done', async () => {
    limited = 1;
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
        [1, 'opened', shas.feature, 'Placeholder Kim'],
        [2, 'merged', shas.feature, 'Placeholder Kim'],
        [3, 'closed', shas.feature, 'Placeholder Kim'],
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

  it('goes to the personal namespace unless told, under the other names too, with a token that only Bearer takes', async () => {
    scheme = 'Bearer';
    const json = Object.fromEntries(
      Object.entries(sent()).map(([name, value]) => [name.replace('hostb_server', 'bitbucket_server'), value]),
    );
    const made = await post(json, 'bitbucket_server');
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.full_path, `/${owner.user.username}/Repo`);
    assert.equal((await ended(made.body.id)).import_status, 'finished');
    scheme = 'Basic';
    const taken = await post(sent());
    assert.equal(taken.status, 422);
    assert.match(taken.body.message.error, /has already been taken/);
  });

  it('refuses what cannot be imported', async () => {
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
