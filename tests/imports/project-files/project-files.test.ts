import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { expireExports } from '../../../src/imports/project-exports/jobs.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer, Sending, TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { fileOf } from './round-trip.ts';

forEachEngine((engine) => {
  let scene: ReviewScene;
  let server: TestServer;
  let archive: Buffer;
  let importer: Person;
  let group: { id: number; full_path: string };
  let count = 0;

  const as = (person: Person, call: string, sending: Sending = {}) =>
    server.api(call, { token: person.token, ...sending });
  const must = (person: Person, call: string, json?: unknown) =>
    server.must(call, { token: person.token, ...(json === undefined ? {} : { json }) });

  const exported = async (person: Person, id: number): Promise<Buffer> => {
    assert.equal((await as(person, `POST /projects/${id}/export`)).status, 202);
    await until(async () => (await as(person, `GET /projects/${id}/export`)).body.export_status === 'finished');
    const response = await fetch(`${server.url}/api/v4/projects/${id}/export/download`, {
      headers: { 'private-token': person.token },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-disposition') ?? '', /filename="\d{14}_app_export\.tar\.gz"/);
    return Buffer.from(await response.arrayBuffer());
  };
  const sendFile = (person: Person, bytes: Buffer, fields: Record<string, string>): Promise<Answer> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
    return as(person, 'POST /projects/import', { body: form });
  };
  /** Emails sent to an address. */
  const sentTo = async (email: string): Promise<string[]> => {
    const folder = join(server.running.services.config.data, 'mail');
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.filter((text) => text.includes(`To: ${email}`));
  };
  const settled = async (person: Person, id: number) => {
    const ended = ['finished', 'failed', 'canceled'];
    await until(async () => ended.includes((await as(person, `GET /projects/${id}/import`)).body.import_status));
    return (await as(person, `GET /projects/${id}/import`)).body;
  };
  const imported = async (bytes: Buffer, fields: Record<string, string> = {}) => {
    const answer = await sendFile(importer, bytes, { path: `copy-${++count}`, namespace: group.full_path, ...fields });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.import_type, 'gitlab_project');
    return { id: answer.body.id as number, state: await settled(importer, answer.body.id) };
  };

  before(async () => {
    scene = await reviewScene(engine, 'public');
    ({ server } = scene);
    const { project, owner, developer } = scene;
    const base = `/projects/${project.id}`;
    importer = await addPerson(server, 'importer');
    group = await must(importer, 'POST /groups', { name: 'Copies', path: 'copies', visibility: 'public' });
    await must(owner, `POST ${base}/labels`, { name: 'bug', color: '#ff0000', description: 'wrong' });
    const milestone = await must(owner, `POST ${base}/milestones`, { title: 'one', due_date: '2030-01-02' });
    const form = new FormData();
    form.append('file', new Blob(['a picture']), 'shot.png');
    const upload = await server.must(`POST ${base}/uploads`, { token: owner.token, body: form });
    const issue = await must(developer, `POST ${base}/issues`, {
      title: 'It breaks',
      description: `See ${upload.markdown}`,
      labels: 'bug',
      milestone_id: milestone.id,
      confidential: true,
      due_date: '2031-02-03',
      assignee_ids: [owner.user.id],
    });
    assert.equal(issue.iid, 1);
    await must(owner, `POST ${base}/issues/1/notes`, { body: 'a note' });
    await must(owner, `POST ${base}/issues/1/award_emoji`, { name: 'thumbsup' });
    await must(developer, `POST ${base}/issues`, { title: 'Done before' });
    await must(owner, `PUT ${base}/issues/2`, { state_event: 'close' });
    await scene.branch('topic', 'README.md', 'one\nTWO\nthree\n');
    const request = await scene.open(developer, 'topic', { description: 'changes a line' });
    const { diff_refs } = (await as(owner, `GET ${base}/merge_requests/${request.iid}`)).body;
    await must(owner, `POST ${base}/merge_requests/${request.iid}/discussions`, {
      body: 'why?',
      position: {
        position_type: 'text',
        base_sha: diff_refs.base_sha,
        start_sha: diff_refs.start_sha,
        head_sha: diff_refs.head_sha,
        old_path: 'README.md',
        new_path: 'README.md',
        new_line: 2,
      },
    });
    await must(owner, `POST ${base}/issues/1/links`, {
      target_project_id: project.id,
      target_issue_iid: 2,
      link_type: 'blocks',
    });
    const board = await must(owner, `POST ${base}/boards`, { name: 'Plan' });
    await must(owner, `PUT ${base}/boards/${board.id}`, { milestone_id: milestone.id, labels: 'bug' });
    const [{ id: bug }] = await must(owner, `GET ${base}/labels`);
    await must(owner, `POST ${base}/boards/${board.id}/lists`, { label_id: bug });
    await must(owner, `POST ${base}/boards/${board.id}/lists`, { milestone_id: milestone.id });
    await must(developer, `POST ${base}/snippets`, {
      title: 'Two files',
      visibility: 'public',
      files: [
        { file_path: 'a.sh', content: 'echo a' },
        { file_path: 'deep/b.txt', content: 'b' },
      ],
    });
    await scene.branch('again', 'other.txt', 'one\n');
    const second = await scene.open(developer, 'again');
    await must(developer, `PUT ${base}/repository/files/other.txt`, {
      ...{ branch: 'again', content: 'two\n', commit_message: 'More' },
    });
    await until(async () => (await as(owner, `GET ${base}/merge_requests/${second.iid}/versions`)).body.length === 2);
    const { id: sha } = (await as(owner, `GET ${base}/repository/commits/main`)).body;
    await must(owner, `POST ${base}/statuses/${sha}`, { state: 'success', name: 'elsewhere', ref: 'main' });
    await must(owner, `POST ${base}/repository/tags?tag_name=v1&ref=main`);
    await must(owner, `POST ${base}/releases`, {
      tag_name: 'v1',
      name: 'First',
      description: 'notes',
      milestones: ['one'],
      assets: { links: [{ name: 'site', url: 'https://example.com/x' }] },
    });
    await must(owner, `POST ${base}/protected_branches?name=release/*&push_access_level=0&merge_access_level=30`);
    await must(owner, `POST ${base}/wikis`, { title: 'home', content: 'welcome' });
    const bytes = Buffer.from('large');
    const oid = createHash('sha256').update(bytes).digest('hex');
    await storeLfsObject(server.running.services, project.id, { oid, size: bytes.length }, Readable.from([bytes]));
    await must(owner, `PUT ${base}`, {
      description: 'All of it',
      squash_option: 'always',
      lfs_enabled: true,
      snippets_access_level: 'disabled',
    });
    archive = await exported(owner, project.id);
  });

  it('transfers a project with its contents', async () => {
    const { id, state } = await imported(archive);
    assert.equal(state.import_status, 'finished', state.import_error);
    assert.deepEqual(state.failed_relations, []);
    const from = (call: string) => as(scene.owner, `GET /projects/${scene.project.id}${call}`).then(({ body }) => body);
    const to = (call: string) => as(importer, `GET /projects/${id}${call}`).then(({ body }) => body);

    const copy = await to('');
    assert.deepEqual(
      [copy.description, copy.visibility, copy.default_branch, copy.snippets_access_level],
      ['All of it', 'public', 'main', 'disabled'],
    );
    const commits = async (of: typeof to) =>
      (await of('/repository/branches')).map((branch: { name: string; commit: { id: string } }) => [
        branch.name,
        branch.commit.id,
      ]);
    assert.deepEqual(await commits(to), await commits(from));

    const keep = (issue: Record<string, unknown>) =>
      ['iid', 'title', 'state', 'labels', 'confidential', 'due_date', 'created_at', 'user_notes_count', 'type'].map(
        (name) => issue[name],
      );
    assert.deepEqual((await to('/issues')).map(keep), (await from('/issues')).map(keep));
    const [closed, open] = await to('/issues?order_by=created_at');
    assert.equal(closed.state, 'closed');
    assert.equal(open.milestone.title, 'one');
    assert.match(open.author.username, /^developer\d*_placeholder_/);
    assert.equal(open.assignees.length, 1);
    const [, secret] = /\/uploads\/([0-9a-f]{32})\/shot\.png/.exec(open.description) ?? [];
    const picture = await as(importer, `GET /projects/${id}/uploads/${secret}/shot.png`);
    assert.equal(picture.text, 'a picture');
    const notes = await to('/issues/1/notes?activity_filter=only_comments');
    assert.deepEqual(
      notes.map((note: { body: string }) => note.body),
      ['a note'],
    );
    assert.equal((await to('/issues/1/award_emoji'))[0].name, 'thumbsup');
    const [label] = await to('/labels');
    assert.deepEqual([label.name, label.color, label.description], ['bug', '#ff0000', 'wrong']);

    const [request] = await to('/merge_requests?iids[]=1');
    assert.deepEqual(
      [request.iid, request.source_branch, request.state, request.description],
      [1, 'topic', 'opened', 'changes a line'],
    );
    const [thread] = (await to('/merge_requests/1/discussions')).filter(
      (one: { notes: { type: string }[] }) => one.notes[0]?.type === 'DiffNote',
    );
    assert.equal(thread.notes[0].position.new_line, 2);
    assert.equal(thread.notes.length, 1);
    const threads = (await from('/merge_requests/1/discussions')).map((one: { notes: unknown[] }) => one.notes.length);
    assert.deepEqual(threads, [1], 'imported discussion IDs do not collide with existing ones');
    const [file] = (await to('/merge_requests/1/changes')).changes;
    assert.match(file.diff, /\+TWO/);

    const versions = async (of: typeof to) =>
      (await of('/merge_requests/2/versions')).map((version: { head_commit_sha: string }) => version.head_commit_sha);
    assert.equal((await versions(to)).length, 2);
    assert.deepEqual(await versions(to), await versions(from));
    const [link] = await to('/issues/1/links');
    assert.deepEqual([link.iid, link.link_type], [2, 'blocks']);
    const [board] = await to('/boards');
    assert.deepEqual(
      [board.name, board.milestone.title, board.labels[0].name, board.lists.length],
      ['Plan', 'one', 'bug', 2],
    );
    assert.deepEqual([board.lists[0].label.name, board.lists[1].milestone.title], ['bug', 'one']);
    const records = (list: Record<string, unknown>[]) =>
      list.map(({ iid, sha, ref, status, source, created_at }) => ({ iid, sha, ref, status, source, created_at }));
    assert.deepEqual(records(await to('/pipelines')), records(await from('/pipelines')));
    assert.equal((await to('/pipelines')).length, 1);

    const [release] = await to('/releases');
    assert.equal(release.milestones[0].title, 'one');
    assert.deepEqual([release.tag_name, release.name, release.assets.links.length], ['v1', 'First', 1]);
    const rule = await to('/protected_branches/release%2F*');
    assert.deepEqual([rule.push_access_levels[0].access_level, rule.merge_access_levels[0].access_level], [0, 30]);
    assert.equal((await to('/wikis/home')).content, 'welcome');
    const large = await server.db.read
      .selectFrom('lfs_object_projects')
      .select('project_id')
      .where('project_id', '=', id)
      .execute();
    assert.equal(large.length, 1);
    const members = await to('/members');
    assert.deepEqual(members, [], 'no roles are granted without consent');
    await must(importer, `POST /projects/${id}/issues`, { title: 'The next one' });
    assert.equal((await to('/issues/3')).title, 'The next one');
  });

  it('transfers what happened to issues and merge requests, and how they are arranged', async () => {
    const { owner, project, developer } = scene;
    const base = `/projects/${project.id}`;
    await must(owner, `PUT ${base}/labels/bug`, { priority: 0 });
    await must(owner, `POST ${base}/labels`, { name: 'later', color: '#00ff00', priority: 7 });
    const { iid } = await must(developer, `POST ${base}/issues`, { title: 'Busy', labels: 'later' });
    const issue = `${base}/issues/${iid}`;
    const [{ id: milestone_id }] = await must(owner, `GET ${base}/milestones`);
    await must(owner, `PUT ${issue}`, { milestone_id, add_labels: 'bug', weight: 3 });
    await must(owner, `PUT ${issue}`, { milestone_id: 0, remove_labels: 'later', state_event: 'close' });
    await must(owner, `PUT ${issue}`, { state_event: 'reopen' });
    const [first] = await must(owner, `GET ${base}/issues?iids[]=1`);
    await must(owner, `PUT ${issue}/reorder`, { move_before_id: first.id });
    const request = `${base}/merge_requests/1`;
    const { diff_refs } = await must(owner, `GET ${request}`);
    await must(owner, `PUT ${request}`, {
      ...{ squash: true, remove_source_branch: true, discussion_locked: true, add_labels: 'later' },
    });
    await must(owner, `POST ${request}/time_estimate?duration=2h`);
    await must(owner, `POST ${request}/add_spent_time?duration=1h`);
    const path = { old_path: 'README.md', new_path: 'README.md' };
    const [, start, end] = [1, 2, 3].map((line) => ({
      line_code: `8ec9a00bfd09b3190ac6b22251dbb1aa95a0579d_${line}_${line}`,
      type: 'new',
      new_line: line,
      old_line: line,
    }));
    await must(owner, `POST ${request}/discussions`, {
      body: 'both lines',
      position: { ...diff_refs, ...path, position_type: 'text', new_line: 3, old_line: 3, line_range: { start, end } },
    });

    const { id, state } = await imported(await exported(owner, project.id));
    assert.deepEqual(state.failed_relations, []);
    const both = async (path: string, keep: (one: never) => unknown) => {
      const lists = [await must(owner, `GET ${base}${path}`), await must(importer, `GET /projects/${id}${path}`)];
      const [before, after] = lists.map((list) => list.map(keep));
      assert.ok(before.length > 0, path);
      assert.deepEqual(after, before, path);
    };
    type Event = Record<'action' | 'state' | 'weight' | 'created_at', unknown> & {
      label?: { name: string };
      milestone?: { title: string };
    };
    for (const kind of ['label', 'milestone', 'state', 'weight']) {
      await both(`/issues/${iid}/resource_${kind}_events`, ({ action, state, weight, created_at, ...of }: Event) => [
        ...[action, state, weight, created_at],
        of.label?.name ?? of.milestone?.title,
      ]);
    }
    await both('/merge_requests/1/resource_label_events', ({ action, label }: Event) => [action, label?.name]);
    await both('/labels', ({ name, priority }: Record<string, unknown>) => [name, priority]);
    for (const order of ['relative_position', 'label_priority']) {
      await both(`/issues?order_by=${order}&sort=asc`, (one: { iid: number }) => one.iid);
    }
    await both('/merge_requests?order_by=label_priority&sort=asc', (one: { iid: number }) => one.iid);
    await both('/merge_requests?iids[]=1', (one: Record<string, unknown>) =>
      ['squash', 'force_remove_source_branch', 'discussion_locked', 'time_stats'].map((name) => one[name]),
    );
    type Thread = { notes: { body: string; position?: { line_range?: unknown } }[] };
    await both('/merge_requests/1/discussions', ({ notes }: Thread) =>
      notes.map(({ body, position }) => [body, position?.line_range]),
    );
  });

  it('transfers snippets with their files', async () => {
    const { id, state } = await imported(archive, { 'override_params[snippets_access_level]': 'enabled' });
    assert.deepEqual(state.failed_relations, []);
    const [snippet] = (await as(importer, `GET /projects/${id}/snippets`)).body;
    assert.deepEqual([snippet.title, snippet.visibility, snippet.imported], ['Two files', 'public', true]);
    const raw = await as(importer, `GET /projects/${id}/snippets/${snippet.id}/files/main/deep%2Fb.txt/raw`);
    assert.equal(raw.text, 'b');
  });

  it('has the same result if the server crashes in every stage', async () => {
    const first = await imported(archive);
    const stages = ['repository', 'uploads', 'issues', 'boards', 'merge_requests', 'snippets', 'protected_refs'];
    const left = new Set(stages);
    const disarms = stages.map((stage) => {
      const disarm = armFault(`import.stage.${stage}`, () => {
        disarm();
        left.delete(stage);
        throw new Error('gone');
      });
      return disarm;
    });
    const second = await imported(archive);
    for (const disarm of disarms) disarm();
    assert.deepEqual([...left], []);
    assert.equal(second.state.import_status, 'finished', second.state.import_error);
    const count = async (id: number) => {
      const call = (path: string) => as(importer, `GET /projects/${id}${path}`).then(({ body }) => body.length);
      const paths = [
        '/issues',
        '/merge_requests',
        '/labels',
        '/milestones',
        '/releases',
        '/protected_branches',
        '/boards',
        '/pipelines',
      ];
      return Promise.all([...paths, '/issues/1/notes', '/merge_requests/1/discussions', '/uploads'].map(call));
    };
    assert.deepEqual(await count(second.id), await count(first.id));
  });

  describe('endpoints', () => {
    it('export projects for Maintainers if enabled', async () => {
      const base = `/projects/${scene.project.id}/export`;
      for (const call of [`POST ${base}`, `GET ${base}`, `GET ${base}/download`]) {
        assert.equal((await as(scene.developer, call)).status, 403, call);
        assert.equal((await server.api(call, { token: null })).status, 401, call);
      }
      const fresh = await must(importer, 'POST /projects', { name: `never-${++count}` });
      const none = await as(importer, `GET /projects/${fresh.id}/export`);
      assert.equal(none.body.export_status, 'none');
      assert.equal('_links' in none.body, false);
      const missing = await as(importer, `GET /projects/${fresh.id}/export/download`);
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found or has expired' }]);
      await server.must('PUT /application/settings', { json: { project_export_enabled: false } });
      assert.equal((await as(scene.owner, `POST ${base}`)).status, 404);
      await server.must('PUT /application/settings', { json: { project_export_enabled: true } });
      const blocked = await as(scene.owner, `POST ${base}`, {
        json: { upload: { url: 'http://127.0.0.1/x', http_method: 'PUT' } },
      });
      assert.equal(blocked.status, 400);
    });

    it('reject invalid imports', async () => {
      const fields = { path: `x-${++count}`, namespace: group.full_path };
      assert.equal((await sendFile(importer, archive, { ...fields, path: '' })).status, 400);
      assert.equal((await sendFile(importer, archive, { ...fields, namespace: 'nowhere' })).status, 404);
      const foreign = await sendFile(scene.outsider, archive, fields);
      assert.equal(foreign.status, 403);
      assert.equal((await as(importer, 'POST /projects/import', { json: fields })).status, 400);
      assert.equal((await server.api('POST /projects/import', { token: null })).status, 401);
      const { id } = await imported(archive, { path: 'taken' });
      const taken = await sendFile(importer, archive, { ...fields, path: 'taken' });
      assert.equal(taken.status, 400);
      assert.match(taken.body.message, /taken/);
      assert.ok(id);
      await server.must('PUT /application/settings', { json: { import_sources: ['git'] } });
      assert.equal((await sendFile(importer, archive, fields)).status, 403);
      const hosts = { personal_access_token: 'x', repo_id: 1, target_namespace: group.full_path };
      const host = await as(importer, 'POST /import/github', { json: hosts });
      assert.deepEqual([host.status, host.body], [403, { errors: ['github import source is disabled'] }]);
      const all = ['github', 'bitbucket', 'bitbucket_server', 'git', 'gitlab_project'];
      await server.must('PUT /application/settings', { json: { import_sources: all } });
    });

    it('delete the file after a day', async () => {
      const { services } = server.running;
      const key = async () =>
        (
          await server.db.read
            .selectFrom('project_exports')
            .select('storage_key')
            .where('project_id', '=', scene.project.id)
            .executeTakeFirstOrThrow()
        ).storage_key;
      const before = (await key()) ?? '';
      await expireExports(services, Date.now() + 25 * 60 * 60_000);
      assert.equal(await key(), null);
      assert.equal(await services.storage.stat(before), undefined);
      await exported(scene.owner, scene.project.id);
    });
  });

  it('imports GitLab archives and records unsupported relations', async () => {
    const issue = {
      iid: 7,
      title: 'From there',
      author_id: 99,
      state: 'closed',
      created_at: '2020-01-02T03:04:05.000Z',
      updated_at: '2020-01-03T03:04:05.000Z',
      closed_at: '2020-01-03T03:04:05.000Z',
      label_links: [{ label: { title: 'Group: a, b', color: '#00ff00', type: 'GroupLabel' } }],
      notes: [{ id: 5, note: 'said', author_id: 98, system: false, created_at: '2020-01-02T04:00:00Z' }],
      weight: -4,
      due_date: 'tomorrow',
    };
    const bytes = await fileOf({
      './VERSION': '0.2.4',
      './tree/project.json': JSON.stringify({
        description: 'old',
        visibility_level: 10,
        mirror: true,
        shared_runners_enabled: false,
      }),
      './tree/project/issues.ndjson': `${JSON.stringify(issue)}\nnot json\n{"iid":"x"}\n`,
      './tree/project/merge_requests.ndjson': `${JSON.stringify({ iid: 2, source_branch: 'a', target_branch: 'b', state: 'merged', title: 'M' })}\n`,
      './tree/project/ci_pipelines.ndjson': `${JSON.stringify({ id: 1, ref: 'main' })}\n`,
      './tree/project/pipeline_schedules.ndjson': 'null',
      './tree/project/error_tracking_setting.ndjson': '{"enabled":true}',
      './tree/project/project_members.ndjson': `${JSON.stringify({ user_id: 99, access_level: 50, user: { id: 99, username: 'root', public_email: 'admin@example.com' } })}\n`,
    });
    const { id, state } = await imported(bytes, { 'override_params[description]': 'mine' });
    assert.equal(state.import_status, 'finished', state.import_error);
    const reported = state.failed_relations.map(({ relation_name }: { relation_name: string }) => relation_name);
    assert.deepEqual(reported.sort(), ['error_tracking_setting', 'issue', 'issues', 'pipeline']);
    const copy = (await as(importer, `GET /projects/${id}`)).body;
    assert.deepEqual([copy.description, copy.visibility, copy.mirror], ['mine', 'internal', false]);
    const [found] = (await as(importer, `GET /projects/${id}/issues`)).body;
    assert.deepEqual([found.iid, found.state, found.weight ?? null, found.due_date], [7, 'closed', null, null]);
    assert.deepEqual(found.labels, ['Group: a b']);
    assert.match(found.author.username, /^root_placeholder_/, 'users are not matched with existing ones');
    const [request] = (await as(importer, `GET /projects/${id}/merge_requests?state=all`)).body;
    assert.deepEqual([request.iid, request.state], [2, 'merged']);
  });

  it('rejects invalid archives without leftovers', async () => {
    const brokenBundle = `# v2 git bundle\n${'a'.repeat(40)} refs/heads/main\n\nPACK and nothing else`;
    const cases: [string, Buffer][] = [
      ['not packed', Buffer.from('hello')],
      ['cut short', archive.subarray(0, archive.length - 2000)],
      ['of something else', await fileOf({ 'README.md': 'x' })],
      ['with a broken tree', await fileOf({ 'tree/project.json': '[1]' })],
      ['with a broken bundle', await fileOf({ 'tree/project.json': '{}', 'project.bundle': brokenBundle })],
    ];
    const messages = () => sentTo(importer.user.email);
    for (const [name, bytes] of cases) {
      const { id, state } = await imported(bytes);
      assert.equal(state.import_status, 'failed', name);
      assert.notEqual(state.import_error, null, name);
      const { storage } = server.running.services;
      await until(async () => (await storage.stat(`imports/${id}/archive`)) === undefined);
    }
    await until(
      async () => (await messages()).filter((text) => /could not be imported/.test(text)).length === cases.length,
    );
  });

  it('limits the length of texts and of nested lists', async () => {
    const long = 'é '.repeat(600_000);
    const issue = {
      ...{ iid: 1, title: 'Long', description: long, notes: [{ id: 1, note: long }] },
      award_emoji: Array.from({ length: 5001 }, (_, each) => ({ name: `e${each}`, user_id: 1 })),
    };
    const { id, state } = await imported(
      await fileOf({ 'tree/project.json': '{}', 'tree/project/issues.ndjson': `${JSON.stringify(issue)}\n` }),
    );
    assert.equal(state.import_status, 'finished', state.import_error);
    const at = `GET /projects/${id}/issues/1`;
    assert.equal((await as(importer, at)).body.description.length, 1_048_576);
    assert.equal((await as(importer, `${at}/notes`)).body[0].body.length, 1_048_576);
    assert.equal((await as(importer, `${at}/award_emoji`)).headers.get('x-total'), '5000');
  });

  // Git would treat the path after `gitdir:` as the repository.
  it('does not accept a bundle that refers to another repository', async () => {
    const secret = await must(scene.owner, 'POST /projects', { name: 'Secret', initialize_with_readme: true });
    const { path } = server.running.services.git.repository(secret.id);
    const pointer = `gitdir: ${resolve(path)}\n`;
    const { state } = await imported(await fileOf({ 'tree/project.json': '{}', 'project.bundle': pointer }));
    assert.equal(state.import_status, 'failed');
    assert.match(state.import_error, /bundle cannot be read/);
    const { id, state: ofWiki } = await imported(
      await fileOf({ 'tree/project.json': '{}', 'project.wiki.bundle': pointer }),
    );
    assert.equal(ofWiki.failed_relations[0]?.relation_name, 'wiki');
    assert.deepEqual((await as(importer, `GET /projects/${id}/wikis`)).body, []);
  });

  it('downloads remote files, but not from private addresses', async () => {
    const json = { path: `remote-${++count}`, namespace: group.full_path };
    for (const url of ['http://127.0.0.1/x', 'file:///etc/passwd', 'http://[::ffff:10.0.0.1]/x']) {
      const answer = await as(importer, 'POST /projects/remote-import', { json: { ...json, url } });
      assert.equal(answer.status, 400, url);
    }
  });
});
