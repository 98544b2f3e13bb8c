import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { endStuckImports } from '../../../src/imports/project-imports/jobs.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type HostaWorld, startHosta, token } from './world.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let world: HostaWorld;
  let owner: Person;
  let group: { id: number; full_path: string };
  let count = 0;

  before(async () => {
    world = await startHosta();
    server = await startTestServer(engine, ['--allow-local-egress', '--hosta-url', world.url]);
    owner = await addPerson(server, 'owner');
    const json = { name: 'Team', path: 'team', visibility: 'public' };
    group = await server.must('POST /groups', { token: owner.token, json });
  });

  const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
  // A separate caller for each, because users may start six imports per minute.
  const start = async (json: Record<string, unknown> = {}, path = '/import/hosta') => {
    const name = `r${++count}`;
    const wanted = { personal_access_token: token, repo_id: 77, target_namespace: group.full_path, new_name: name };
    return server.api(`POST ${path}`, { json: { ...wanted, pagination_limit: 2, ...json } });
  };
  const ended = async (id: number): Promise<Answer['body']> => {
    const status = async () => (await as(`GET /projects/${id}/import`)).body;
    await until(async () => !['scheduled', 'started'].includes((await status()).import_status));
    return status();
  };
  /** Contents of a project, without parts that differ between equal imports. */
  const contents = async (id: number) => {
    const get = async (place: string) => (await as(`GET /projects/${id}/${place}`)).body;
    const people = (list: { name: string }[]) => list.map(({ name }) => name).sort();
    const notes = async (kind: string, iid: number) =>
      (await get(`${kind}/${iid}/notes?sort=asc&order_by=created_at&per_page=100`))
        .map((note: Answer['body']) =>
          [note.author.name, note.system, note.type, note.body, note.created_at, note.updated_at].join('|'),
        )
        .sort();
    const issues = [];
    for (const issue of await get('issues?order_by=created_at&sort=asc&per_page=100')) {
      const { iid, title, description, state, created_at, updated_at, closed_at, labels, user_notes_count } = issue;
      issues.push({
        ...{ iid, title, state, created_at, updated_at, closed_at, labels, user_notes_count },
        description: description.replaceAll(/http:\S*\/-\//g, 'LINK/-/'),
        author: issue.author.name,
        assignees: people(issue.assignees),
        milestone: issue.milestone?.title,
        notes: await notes('issues', iid),
      });
    }
    const requests = [];
    for (const { iid } of await get('merge_requests?state=all&order_by=created_at&sort=asc')) {
      const request = await get(`merge_requests/${iid}`);
      const { title, state, source_branch, target_branch, sha, labels, merged_at, draft } = request;
      requests.push({
        ...{ iid, title, state, source_branch, target_branch, sha, labels, merged_at, draft },
        author: request.author.name,
        reviewers: people(request.reviewers),
        merge_user: request.merge_user?.name,
        notes: await notes('merge_requests', iid),
      });
    }
    const pick = (list: Answer['body'][], ...names: string[]) =>
      list.map((entry) => Object.fromEntries(names.map((name) => [name, entry[name]])));
    return {
      issues,
      requests,
      labels: pick(await get('labels'), 'name', 'color'),
      releases: pick(await get('releases'), 'tag_name', 'name', 'description', 'released_at'),
      branches: pick(await get('repository/branches'), 'name', 'protected', 'developers_can_push'),
      tags: pick(await get('repository/tags'), 'name', 'target'),
    };
  };

  it('imports a repository with all related content', async () => {
    const made = await start();
    assert.equal(made.status, 201, made.text);
    const { id, ...result } = made.body;
    assert.deepEqual(result, {
      name: 'r1',
      full_path: '/team/r1',
      full_name: 'Team / r1',
      refs_url: '/team/r1/refs',
      forked: false,
      import_source: 'o/r',
      import_status: 'scheduled',
      human_import_status_name: 'scheduled',
      provider_link: '/o/r',
      relation_type: null,
      import_warning: null,
    });
    const status = await ended(id);
    assert.equal(status.import_status, 'finished', status.import_error);
    assert.deepEqual(status.failed_relations, []);
    assert.equal(status.import_type, 'github');
    assert.equal(status.stats.imported.issue, 8);
    assert.equal(status.stats.imported.pull_request, 3);
    assert.deepEqual(status.stats.fetched, status.stats.imported);

    const project = (await as(`GET /projects/${id}`)).body;
    assert.equal(project.visibility, 'public');
    assert.equal(project.default_branch, 'main');
    assert.equal(project.description, 'From there');
    const found = await contents(id);
    assert.deepEqual(found.labels, [
      { name: 'a b', color: '#00ff00' },
      { name: 'bug', color: '#ff0000' },
      { name: 'idea', color: '#0000ff' },
    ]);
    const [issue] = found.issues;
    assert.equal(issue?.iid, 1);
    assert.equal(issue?.author, 'Placeholder Name of bob-b');
    assert.deepEqual(issue?.assignees, ['Placeholder Name of ann', 'Placeholder Name of bob-b']);
    assert.deepEqual(issue?.labels, ['a b', 'bug']);
    assert.equal(issue?.milestone, 'M5');
    assert.equal(issue?.description, 'Says `@ann` in `@code`, see LINK/-/issues/1');
    assert.equal(issue?.user_notes_count, 2);
    assert.equal(issue?.created_at, '2020-01-01T10:00:00.000Z');
    assert.ok(issue?.notes.some((note: string) => note.includes('hello `@bob-b`')));
    assert.equal(found.issues.find(({ iid }) => iid === 6)?.state, 'closed');
    assert.deepEqual(
      found.requests.map(({ iid, state, source_branch, sha }) => [iid, state, source_branch, sha]),
      [
        [2, 'opened', 'feature', world.shas.feature],
        [3, 'opened', 'github/fork/bob-b/main', world.shas.fork],
        [4, 'merged', 'gone', world.shas.main],
      ],
    );
    const [open, , merged] = found.requests;
    assert.equal(open?.title, 'Draft: Open one');
    assert.deepEqual(open?.reviewers, ['Placeholder Name of bob-b']);
    assert.deepEqual(open?.labels, ['bug']);
    assert.ok(open?.notes.some((note: string) => note.includes('**Review:** Approved\n\ngood')));
    assert.ok(open?.notes.some((note: string) => note.includes('```suggestion:-1+0')));
    const [diffNote] = (await as(`GET /projects/${id}/merge_requests/2/notes?sort=asc`)).body.filter(
      (note: Answer['body']) => note.type === 'DiffNote',
    );
    const { base_sha, head_sha, new_line, line_range } = diffNote.position;
    assert.deepEqual([base_sha, head_sha, new_line], [world.shas.first, world.shas.feature, 2]);
    assert.deepEqual([line_range.start.new_line, line_range.end.new_line, line_range.end.type], [1, 2, 'new']);
    const planned = (await as(`GET /projects/${id}/issues/1/resource_milestone_events`)).body;
    assert.deepEqual(
      planned.map(({ action, milestone }: Answer['body']) => [action, milestone.title]),
      [['add', 'M5']],
    );
    assert.equal(merged?.author, 'Ghost User');
    assert.equal(merged?.merge_user, 'Placeholder Name of bob-b');
    assert.equal((await as(`GET /projects/${id}/merge_requests/4`)).body.closed_by, null);
    const states = (await as(`GET /projects/${id}/merge_requests/4/resource_state_events`)).body;
    assert.deepEqual(
      states.map(({ state }: Answer['body']) => state),
      ['merged'],
    );
    assert.equal(found.releases[0]?.description, 'Release for tag v1');
    const page = await server.api(`GET /projects/${id}/wikis/Home`);
    assert.equal(page.body.content, 'Welcome there');
    assert.deepEqual(
      found.branches.map(({ name }) => name),
      ['feature', 'github/fork/bob-b/main', 'main'],
    );
    const rule = (await as(`GET /projects/${id}/protected_branches/main`)).body;
    assert.equal(rule.push_access_levels[0].access_level, 0);
    assert.equal(rule.allow_force_push, true);
    const fresh = await as(`POST /projects/${id}/issues`, { json: { title: 'next' } });
    assert.equal(fresh.body.iid, 16);
  });

  it('ends the same if it crashes at every step or the source host fails', async () => {
    const calm = await start();
    assert.equal((await ended(calm.body.id)).import_status, 'finished');
    const expected = await contents(calm.body.id);
    const stages = [
      'repository',
      'labels',
      'milestones',
      'releases',
      'pull_requests',
      'issues',
      'diff_notes',
      'timeline',
    ];
    const points = [...stages.map((stage) => `import.stage.${stage}`), 'import.fetched'];
    let died = 0;
    const disarm = points.map((point) => {
      const off = armFault(point, () => {
        off();
        died++;
        throw new Error(`gone at ${point}`);
      });
      return off;
    });
    for (const [point, nth] of [
      ['import.written', 7],
      ['import.advanced', 5],
    ] as const) {
      let left = nth;
      const off = armFault(point, () => {
        left -= 1;
        if (left > 0) return;
        off();
        died++;
        throw new Error(`gone at ${point}`);
      });
      disarm.push(off);
    }
    const broken = new Map([
      ['/repos/o/r/issues', 2],
      ['/repos/o/r/issues/1/timeline', 1],
      ['/repos/o/r/pulls/comments', 1],
    ]);
    world.intercept = ({ path }) => {
      const left = broken.get(path) ?? 0;
      if (left === 0) return undefined;
      broken.set(path, left - 1);
      if (path.endsWith('timeline'))
        return (response) => response.writeHead(200, { 'content-length': '999' }).end('[{"ev');
      if (path.endsWith('comments')) {
        return { status: 403, headers: { 'retry-after': '1' }, json: { message: 'secondary rate limit' } };
      }
      return { status: 502, json: { message: 'bad gateway' } };
    };
    const rough = await start();
    const status = await ended(rough.body.id);
    world.intercept = undefined;
    for (const off of disarm) off();
    assert.equal(status.import_status, 'finished', status.import_error);
    assert.equal(died, points.length + 2);
    assert.deepEqual([...broken.values()], [0, 0, 0]);
    assert.deepEqual(status.failed_relations, []);
    assert.deepEqual(await contents(rough.body.id), expected);
  });

  it('attributes everything to the owner of a personal namespace and stores no secrets', async () => {
    const made = await as('POST /import/github', {
      json: {
        personal_access_token: token,
        repo_id: '77',
        target_namespace: `/${owner.user.username}`,
        optional_stages: { single_endpoint_notes_import: 'true' },
      },
    });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.name, 'r');
    const status = await ended(made.body.id);
    assert.equal(status.import_status, 'finished', status.import_error);
    const { issues, requests } = await contents(made.body.id);
    const authors = new Set([...issues, ...requests].map(({ author }) => author));
    assert.deepEqual([...authors], [owner.user.name]);
    const merged = requests.find(({ iid }) => iid === 4);
    assert.ok(merged?.notes.some((note: string) => note.includes('*Merged by: bob-b at 2020-01-09T10:00:00.000Z*')));
    const rows = await server.db.read.selectFrom('project_imports').selectAll().execute();
    assert.ok(rows.every(({ encrypted_data }) => encrypted_data === null));
    const tables = [rows, await server.db.read.selectFrom('jobs').selectAll().execute()];
    const projects = await server.db.read.selectFrom('projects').select(['import_url', 'import_error']).execute();
    assert.doesNotMatch(JSON.stringify([...tables, projects]), new RegExp(token));
  });

  it('records failures and continues', async () => {
    world.intercept = ({ path }) =>
      path === '/repos/o/r/milestones'
        ? { json: [5, 5.5].map((number) => ({ number, title: 'Same', state: 'open', due_on: null })) }
        : undefined;
    const made = await start({ optional_stages: { collaborators_import: true } });
    const status = await ended(made.body.id);
    world.intercept = undefined;
    assert.equal(status.import_status, 'finished', status.import_error);
    const names = status.failed_relations.map((failure: Answer['body']) => failure.relation_name);
    assert.ok(names.includes('collaborator'), JSON.stringify(names));
    const unknown = status.failed_relations.find((failure: Answer['body']) => failure.relation_name === 'collaborator');
    assert.match(unknown.exception_message, /Unknown GitHub role: chief/);
    const reader = await addPerson(server, 'reader');
    const seen = await as(`GET /projects/${made.body.id}/import`, { token: reader.token });
    assert.equal(seen.body.failed_relations[0].exception_message, null, 'only Maintainers read why');
  });

  it('fails on permanent errors with a message without the token', async () => {
    world.intercept = ({ path }) => (path === '/repos/o/r/labels' ? { status: 404, json: 'gone' } : undefined);
    const made = await start();
    const status = await ended(made.body.id);
    world.intercept = undefined;
    assert.equal(status.import_status, 'failed');
    assert.match(status.import_error, /gone.*HTTP 404/);
    const again = await as('POST /import/hosta/cancel', { json: { project_id: made.body.id } });
    assert.equal(again.status, 400);
    assert.deepEqual(again.body, { message: 'The import cannot be canceled because it is failed' });
    const reader = await addPerson(server, 'reader');
    const seen = await as(`GET /projects/${made.body.id}/import`, { token: reader.token });
    assert.equal(seen.body.import_error, 'Ask a maintainer to check the import status for more details.');
  });

  it('can be canceled by Owners while it waits for the source host', async () => {
    world.intercept = ({ path }) =>
      path === '/repos/o/r/labels'
        ? // A fraction of a millisecond is more than PostgreSQL stores.
          { status: 429, headers: { 'retry-after': '3600.0005' }, json: { message: 'slow down' } }
        : undefined;
    const made = await start();
    const { id } = made.body;
    await until(async () => (await as(`GET /projects/${id}/import`)).body.import_status === 'started');
    const waits = () =>
      server.db.read
        .selectFrom('project_imports')
        .select('progress_at')
        .where('project_id', '=', id)
        .executeTakeFirstOrThrow();
    const begun = (await waits()).progress_at;
    await until(async () => Number((await waits()).progress_at) >= Number(begun) + 3_500_000);
    const cancel = (token: string | null, project_id: unknown = id) =>
      server.api('POST /import/hosta/cancel', { token, json: { project_id } });
    const other = await addPerson(server, 'other');
    assert.equal((await cancel(null)).status, 401);
    assert.deepEqual((await cancel(other.token)).body, { message: 'Unauthorized access' });
    assert.equal((await cancel(other.token)).status, 403);
    assert.equal((await cancel(owner.token, 987_654)).status, 404);
    assert.equal((await cancel(owner.token, 'x')).status, 400);
    const done = await cancel(owner.token);
    assert.equal(done.status, 200);
    assert.equal(done.body.import_status, 'canceled');
    assert.equal(done.body.import_source, 'o/r');
    assert.equal((await cancel(owner.token)).status, 400);
    world.intercept = undefined;
    const row = await server.db.read
      .selectFrom('project_imports')
      .select('encrypted_data')
      .where('project_id', '=', id)
      .executeTakeFirst();
    assert.equal(row?.encrypted_data, null);
  });

  it('fails if stuck for a day and erases its credentials', async () => {
    world.intercept = ({ path }) =>
      path === '/repos/o/r/labels' ? { status: 429, headers: { 'retry-after': '3600' }, json: {} } : undefined;
    const patient = await addPerson(server, 'patient');
    const json = { personal_access_token: token, repo_id: 77, target_namespace: patient.user.username };
    const { id } = await server.must('POST /import/hosta', { token: patient.token, json });
    const { services } = server.running;
    const row = () =>
      server.db.read.selectFrom('project_imports').selectAll().where('project_id', '=', id).executeTakeFirstOrThrow();
    await until(async () => Number((await row()).progress_at) > Date.now());
    const day = 24 * 60 * 60_000;
    await endStuckImports(services, Date.now() + day);
    assert.notEqual((await row()).encrypted_data, null, 'the requested delay is not over');
    await endStuckImports(services, Number((await row()).progress_at) + day + 1);
    world.intercept = undefined;
    const status = await server.must(`GET /projects/${id}/import`);
    assert.equal(status.import_status, 'failed');
    assert.equal(status.import_error, 'Import timed out. Import took longer than 86400 seconds');
    assert.equal((await row()).encrypted_data, null);
  });

  it('rejects invalid requests in the documented order', async () => {
    const post = async (json: Record<string, unknown>, who?: string | null) => {
      const caller = who === undefined ? (await addPerson(server, 'caller')).token : who;
      return server.api('POST /import/hosta', { token: caller, json });
    };
    const good = { personal_access_token: token, repo_id: 77, target_namespace: group.full_path };
    assert.equal((await post(good, null)).status, 401);
    assert.deepEqual((await post({ target_namespace: 'x' })).body, {
      error: 'personal_access_token is missing, repo_id is missing',
    });
    assert.deepEqual((await post({ ...good, target_namespace: '' })).body, { error: 'target_namespace is empty' });
    for (const [field, value, text] of [
      ['repo_id', 'abc', 'repo_id is invalid'],
      ['pagination_limit', 101, 'pagination_limit does not have a valid value'],
      ['timeout_strategy', 'never', 'timeout_strategy does not have a valid value'],
    ] as const) {
      const answer = await post({ ...good, [field]: value });
      assert.deepEqual([answer.status, answer.body], [400, { error: text }]);
    }
    const url = await post({ ...good, github_hostname: 'ftp://example.com' });
    assert.equal(url.status, 400);
    assert.match(url.body.errors, /^Invalid URL: /);
    const nowhere = await post({ ...good, target_namespace: 'no/where' });
    assert.deepEqual(
      [nowhere.status, nowhere.body],
      [422, { errors: 'Namespace or group to import repository into does not exist.' }],
    );
    const stranger = await post(good);
    assert.deepEqual(
      [stranger.status, stranger.body],
      [422, { errors: 'You are not allowed to import projects in this namespace.' }],
    );
    const bad = await post({ ...good, personal_access_token: 'wrong' }, owner.token);
    assert.equal(bad.status, 422);
    assert.match(bad.body.errors, /does not have read access to the repository/);
    const missing = await post({ ...good, repo_id: 78 }, owner.token);
    assert.equal(missing.status, 422);
    assert.match(missing.body.errors, /^Import failed because of a GitHub error: .*\(HTTP 404\)$/);
    world.intercept = () => ({ status: 403, headers: { 'retry-after': '60' }, json: {} });
    const limited = await post(good, owner.token);
    world.intercept = undefined;
    assert.deepEqual([limited.status, limited.body], [429, { error: 'Too Many Requests' }]);
    const named = await post({ ...good, new_name: '-no-' }, owner.token);
    assert.equal(named.status, 422, named.text);
    const maintainer = await addPerson(server, 'maintainer');
    await server.db.write((trx) =>
      trx
        .insertInto('members')
        .values({
          user_id: maintainer.user.id,
          namespace_id: group.id,
          project_id: null,
          access_level: Role.developer,
          expires_at: null,
          created_by_id: null,
          created_at: Date.now(),
        })
        .execute(),
    );
    assert.equal((await post(good, maintainer.token)).status, 422, 'developers may not');
  });

  it('is limited to six requests per minute, and unavailable if the source is disabled', async () => {
    const eager = await addPerson(server, 'eager');
    const json = { personal_access_token: token, repo_id: 77, target_namespace: 'no/where' };
    const ask = () => server.api('POST /import/hosta', { token: eager.token, json });
    const answers: Answer[] = [];
    await until(async () => answers.push(await ask()) > 0 && answers.at(-1)?.status === 429);
    assert.ok(answers.length > 6 && answers.slice(0, -1).every(({ status }) => status === 422));
    assert.deepEqual(answers.at(-1)?.body, {
      errors: 'This endpoint has been requested too many times. Try again later.',
    });
    const { import_sources } = await server.must('GET /application/settings');
    await server.must('PUT /application/settings', { json: { import_sources: ['gitea'] } });
    const late = await addPerson(server, 'late');
    const own = { ...json, target_namespace: late.user.username };
    const off = await server.api('POST /import/hosta', { token: late.token, json: own });
    assert.deepEqual([off.status, off.body], [403, { errors: ['github import source is disabled'] }]);
    const gists = await as('POST /import/hosta/gists', { json: { personal_access_token: token } });
    assert.deepEqual([gists.status, gists.body], [403, { errors: ['github import source is disabled'] }]);
    await server.must('PUT /application/settings', { json: { import_sources } });
  });

  it('does not request private addresses that are not allowed', async () => {
    const strict = await startTestServer(engine, ['--egress-allow', new URL(world.url).host, '--hosta-url', world.url]);
    const person = await addPerson(strict, 'strict');
    const json = { personal_access_token: token, repo_id: 77, target_namespace: person.user.username };
    const host = await strict.api('POST /import/hosta', {
      token: person.token,
      json: { ...json, hosta_hostname: 'http://127.0.0.1:1234' },
    });
    assert.equal(host.status, 400);
    const made = await strict.must('POST /import/hosta', { token: person.token, json });
    const status = async () => (await strict.api(`GET /projects/${made.id}/import`, { token: person.token })).body;
    await until(async () => (await status()).import_status === 'failed');
    assert.match((await status()).import_error, /Requests to localhost are not allowed/);
  });
});
