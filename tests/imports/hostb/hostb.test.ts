import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { startBareRepository } from '../../support/git-http-backend.ts';
import { startJsonHost } from '../../support/json-host.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const secret = 'cloud-secret-token';
const time = (second: number) => `2020-02-03T04:05:0${second}.000000+00:00`;
const pat = { uuid: '{1}', nickname: 'pat' };

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let feature: string;
  let broken = 0;

  before(async () => {
    const bare = await startBareRepository('x-bitbucket-api-token-auth', secret);
    const client = new GitClient();
    await client.init('trunk');
    const main = await client.commit({ 'a.txt': 'one\n' }, 'first');
    await client.git('checkout', '-q', '-b', 'feature');
    feature = await client.commit({ 'b.txt': 'two\n' }, 'second');
    bare.git('fetch', '-q', client.folder, 'trunk:refs/heads/trunk', 'feature:refs/heads/feature');
    const side = (name: string, hash: string, uuid = '{r}') => ({
      branch: { name },
      commit: { hash: hash.slice(0, 12) },
      repository: { uuid },
    });
    const pull = (id: number, state: string, uuid?: string) => ({
      ...{ id, state, title: `Pull ${id}`, description: 'words', author: pat },
      source: side('feature', feature, uuid),
      destination: side('trunk', main),
      created_on: time(id),
      updated_on: time(id),
    });
    const lists: Record<string, readonly unknown[]> = {
      '/pullrequests': [
        pull(1, 'OPEN'),
        pull(2, 'SUPERSEDED'),
        pull(3, 'OPEN', '{fork}'),
        { ...pull(4, 'OPEN'), title: {} },
      ],
      '/pullrequests/1/comments': [
        { id: 7, content: { raw: 'look' }, user: pat, inline: { path: 'b.txt', to: 1 }, created_on: time(1) },
        { id: 8, content: { raw: 'yes' }, user: pat, parent: { id: 7 }, created_on: time(2) },
        { id: 9, content: { raw: 'gone' }, user: pat, deleted: true, created_on: time(3) },
        { id: 10, content: [], user: pat, created_on: time(3) },
      ],
      '/pullrequests/2/comments': [],
      '/issues': [
        {
          id: 1,
          title: 'Bug',
          content: { raw: 'it @breaks' },
          state: 'new',
          kind: 'bug',
          reporter: pat,
          created_on: time(1),
        },
        {
          id: 2,
          title: 'Done',
          state: 'wontfix',
          kind: 'task',
          reporter: null,
          created_on: time(2),
          edited_on: time(5),
        },
        'an issue',
      ],
      '/issues/1/comments': [
        { id: 1, content: { raw: 'same here' }, user: pat, created_on: time(4) },
        { id: 2, content: { raw: null }, user: pat, created_on: time(5) },
      ],
      '/issues/2/comments': [],
    };
    const host = await startJsonHost(({ path, query, headers }, url) => {
      const expected = `Basic ${Buffer.from(`pat@example.com:${secret}`).toString('base64')}`;
      if (headers.authorization !== expected) return { status: 401, json: { type: 'error', error: { message: 'no' } } };
      if (path === '/user') return { json: pat };
      const [, place] = /^\/repositories\/ws\/slug(.*)$/.exec(path) ?? [];
      if (place === '') {
        return {
          json: {
            name: 'slug',
            full_name: 'ws/slug',
            is_private: true,
            has_issues: true,
            mainbranch: { name: 'trunk' },
            links: { clone: [{ name: 'https', href: bare.url.replace(/\/\/[^@]*@/, '//pat@') }] },
          },
        };
      }
      if (place === '/issues' && broken > 0) {
        broken -= 1;
        return { status: 500, json: {} };
      }
      const list = lists[place ?? ''];
      if (!list) return { status: 404, json: { type: 'error', error: { message: 'not found' } } };
      const page = Number(query.get('page') ?? 1);
      const next = page < list.length ? { next: `${url}${path}?page=${page + 1}` } : {};
      return { json: { values: list.slice(page - 1, page), ...next } };
    });
    server = await startTestServer(engine, ['--allow-local-egress', '--hostb-url', host.url]);
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

  it('brings a repository with its requests and issues', async () => {
    broken = 1;
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
        [1, 'opened', feature],
        [2, 'closed', feature],
      ],
    );
    const said = await get(`${base}/merge_requests/1/notes?order_by=created_at&sort=asc`);
    assert.deepEqual(
      said.map((note: Answer['body']) => note.body),
      [
        '*Comment on b.txt: --> b.txt:1*\n\n*Created by: pat*\n\nlook',
        '*Comment on b.txt: --> b.txt:1*\n\n*Created by: pat*\n\nyes',
      ],
    );
    const issues = await get(`${base}/issues?order_by=created_at&sort=asc`);
    assert.deepEqual(
      issues.map((issue: Answer['body']) => [issue.iid, issue.state, issue.labels, issue.description]),
      [
        [1, 'opened', ['bug'], '*Created by: pat*\n\nit `@breaks`'],
        [2, 'closed', ['task'], ''],
      ],
    );
    const notes = await get(`${base}/issues/1/notes`);
    assert.deepEqual(
      notes.map((note: Answer['body']) => note.body),
      ['*Created by: pat*\n\nsame here'],
    );
  });

  it('refuses what cannot be imported', async () => {
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
