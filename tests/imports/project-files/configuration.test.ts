import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer, TestServer } from '../../support/server.ts';
import { exportedFile, importedFrom } from './round-trip.ts';

type Entity = Answer['body'];

forEachEngine((engine) => {
  let scene: ReviewScene;
  let server: TestServer;
  let importer: Person;
  let copy: number;
  let failed: Entity[];
  const longName = `${'音楽'.repeat(120)}.txt`;

  const earlier = (path: string): Promise<Entity> =>
    server.must(`GET /projects/${scene.project.id}${path}`, { token: scene.owner.token });
  const after = (path: string): Promise<Entity> =>
    server.must(`GET /projects/${copy}${path}`, { token: importer.token });
  /** Compares a list before the export and after the import. */
  const same = async (path: string, keep: (one: Entity) => unknown) => {
    const [old, current] = [await earlier(path), await after(path)];
    assert.ok(old.length > 0, path);
    assert.deepEqual(current.map(keep), old.map(keep), path);
  };

  before(async () => {
    scene = await reviewScene(engine, 'public');
    ({ server } = scene);
    const { owner, project } = scene;
    const must = (call: string, json: object) =>
      server.must(call.replace(' /', ` /projects/${project.id}/`), { token: owner.token, json });
    await must('POST /protected_branches', {
      name: 'admins/*',
      push_access_level: 60,
      merge_access_level: 60,
      unprotect_access_level: 60,
    });
    await must('POST /protected_branches', { name: 'open/*', push_access_level: 30, unprotect_access_level: 30 });
    await must('POST /protected_tags', { name: 'v*', create_access_level: 60 });
    const form = new FormData();
    form.append('file', new Blob(['music']), longName);
    const { markdown } = await server.must(`POST /projects/${project.id}/uploads`, { token: owner.token, body: form });
    await must('POST /issues', { title: 'It has a file', description: markdown });

    const { id: schedule } = await must('POST /pipeline_schedules', {
      description: 'Nightly',
      ref: 'main',
      cron: '0 3 * * *',
      cron_timezone: 'Europe/Berlin',
    });
    await must(`POST /pipeline_schedules/${schedule}/variables`, { key: 'TOKEN', value: 'a secret' });
    await must('POST /push_rule', {
      commit_message_regex: '^[A-Z]',
      branch_name_regex: '^(main|topic)$',
      max_file_size: 3,
      deny_delete_tag: true,
      prevent_secrets: true,
    });
    await must('POST /badges', {
      name: 'state',
      link_url: 'https://a.example',
      image_url: 'https://a.example/%{project_path}.svg',
    });
    await must('POST /protected_environments', {
      name: 'production',
      deploy_access_levels: [{ access_level: 60 }],
      approval_rules: [{ access_level: 40, required_approvals: 2 }],
    });
    const [{ id: branch }] = (await earlier('/protected_branches')).filter(({ name }: Entity) => name === 'open/*');
    await must('POST /approval_rules', {
      name: 'Security',
      approvals_required: 2,
      user_ids: [scene.developer.user.id],
      protected_branch_ids: [branch],
    });
    await must('POST /approval_rules', { name: 'Any', approvals_required: 1, rule_type: 'any_approver' });
    const { id: sha } = await earlier('/repository/commits/main');
    await must(`POST /repository/commits/${sha}/comments`, { note: 'whole' });
    await must(`POST /repository/commits/${sha}/comments`, {
      note: 'line',
      path: 'README.md',
      line: 2,
      line_type: 'new',
    });
    const { id: thread } = await must(`POST /repository/commits/${sha}/discussions`, { body: 'why?' });
    await must(`POST /repository/commits/${sha}/discussions/${thread}/notes`, { body: 'because' });
    const { id: snippet } = await must('POST /snippets', {
      title: 'Some',
      visibility: 'public',
      files: [{ file_path: 'a.txt', content: 'a' }],
    });
    await must(`POST /snippets/${snippet}/award_emoji`, { name: 'star' });
    const { id: note } = await must(`POST /snippets/${snippet}/notes`, { body: 'nice' });
    await must(`POST /snippets/${snippet}/notes/${note}/award_emoji`, { name: 'heart' });
    await scene.branch('topic', 'README.md', 'one\nTWO\nthree\n');
    const { iid } = await scene.open(owner, 'topic');
    const { id: commit } = await earlier('/repository/commits/topic');
    await must(`POST /merge_requests/${iid}/discussions`, { body: 'on the commit', commit_id: commit });

    await must('POST /issues', { title: 'Nothing to say' });
    await must('POST /milestones', { title: 'Nothing to say' });
    await must('POST /approvals', {
      reset_approvals_on_push: false,
      disable_overriding_approvers_per_merge_request: true,
    });
    importer = await addPerson(server, 'importer');
    await server.must('POST /groups', { token: importer.token, json: { name: 'Copies', path: 'copies' } });
    const file = await exportedFile(server, owner, project.id);
    ({ id: copy, failed } = await importedFrom(server, importer, file, { path: 'copy', namespace: 'copies' }));
  });

  it('imports everything that was exported', () => {
    assert.deepEqual(failed, []);
  });

  it('transfers who may push, merge, unprotect and create tags, administrators included', async () => {
    const levels = (list: Entity[]) => list.map(({ access_level }) => access_level);
    await same('/protected_branches', (rule) => [
      rule.name,
      levels(rule.push_access_levels),
      levels(rule.merge_access_levels),
      // The protection of a new default branch lets everybody unprotect it who may change it.
      rule.name === 'main' || levels(rule.unprotect_access_levels),
    ]);
    await same('/protected_tags', (rule) => [rule.name, levels(rule.create_access_levels)]);
    assert.deepEqual(levels((await after('/protected_branches/admins%2F*')).push_access_levels), [60]);
  });

  it('transfers pipeline schedules, inactive, without variables and owned by whoever imports', async () => {
    const keep = ({ description, ref, cron, cron_timezone, created_at }: Entity) => [
      ...[description, ref, cron, cron_timezone, created_at],
    ];
    await same('/pipeline_schedules', keep);
    const [{ id, active, owner, next_run_at }] = await after('/pipeline_schedules');
    assert.deepEqual([active, owner.username], [false, importer.user.username]);
    assert.ok(next_run_at);
    assert.deepEqual((await after(`/pipeline_schedules/${id}`)).variables, []);
  });

  it('transfers the settings of approvals, and does not invent descriptions', async () => {
    assert.deepEqual(await after('/approvals'), await earlier('/approvals'));
    for (const list of ['/issues', '/merge_requests', '/milestones']) {
      await same(list, ({ title, description }) => [title, description?.replaceAll(/[0-9a-f]{32}/g, '') ?? null]);
    }
  });

  it('transfers push rules and badges', async () => {
    const { id: _, project_id: __, created_at: ___, ...rule } = await earlier('/push_rule');
    const { id: _a, project_id: _b, created_at: _c, ...copied } = await after('/push_rule');
    assert.deepEqual(copied, rule);
    await same('/badges', ({ name, link_url, image_url, kind }) => [name, link_url, image_url, kind]);
  });

  it('transfers protected environments and approval rules', async () => {
    const grants = (list: Entity[]) =>
      list.map(({ access_level, required_approvals }) => [access_level, required_approvals]);
    await same('/protected_environments', (one) => [
      one.name,
      one.required_approval_count,
      grants(one.deploy_access_levels),
      grants(one.approval_rules),
    ]);
    await same('/approval_rules', (one) => [
      ...[one.name, one.rule_type, one.approvals_required, one.users.length],
      one.protected_branches.map(({ name }: Entity) => name),
    ]);
    const [security] = await after('/approval_rules');
    assert.match(security.users[0].username, /_placeholder_/);
  });

  it('transfers comments on commits, their lines and threads', async () => {
    const { id: sha } = await earlier('/repository/commits/main');
    await same(`/repository/commits/${sha}/comments`, ({ note, path, line, line_type, created_at }) => [
      ...[note, path, line, line_type, created_at],
    ]);
    await same(`/repository/commits/${sha}/discussions`, ({ individual_note, notes }) => [
      individual_note,
      notes.map(({ body, type, commit_id }: Entity) => [body, type, commit_id]),
    ]);
  });

  it('transfers comments on snippets and reactions to both, and the commits of threads in merge requests', async () => {
    const [before, copied] = [await earlier('/snippets'), await after('/snippets')];
    const read = async (get: typeof after, { id }: Entity) => {
      const [note] = await get(`/snippets/${id}/notes`);
      const awards = [
        ...(await get(`/snippets/${id}/award_emoji`)),
        ...(await get(`/snippets/${id}/notes/${note.id}/award_emoji`)),
      ];
      return [note.body, note.created_at, awards.map(({ name }) => name)];
    };
    assert.deepEqual(await read(after, copied[0]), await read(earlier, before[0]));
    assert.deepEqual((await read(after, copied[0]))[2], ['star', 'heart']);
    await same('/merge_requests/1/discussions', ({ notes }) =>
      notes.map(({ body, commit_id }: Entity) => [body, commit_id]),
    );
  });

  it('transfers uploaded files with names that are too long for the file system', async () => {
    const { description } = await after('/issues/1');
    const [, place = ''] = /\((\/uploads\/[0-9a-f]{32}\/[^)]+)\)/.exec(description) ?? [];
    assert.ok(place.endsWith(`/${longName}`), description);
    assert.equal(await after(place), 'music');
  });

  it('makes the person an approver to whom the placeholder is reassigned', async () => {
    const { developer } = scene;
    const place = '/groups/copies/placeholder_reassignments';
    const list: string = await server.must(`GET ${place}`, { token: importer.token });
    const [header = '', ...people] = list.trim().split('\n');
    const line = people.find((text) => text.includes(`,${developer.user.username},`)) ?? '';
    const form = new FormData();
    form.append(
      'file',
      new Blob([`${header}\n${line.replace(/,,$/, `,${developer.user.username},`)}\n`]),
      'people.csv',
    );
    const { failures } = await server.must(`POST ${place}`, { token: importer.token, body: form });
    assert.deepEqual(failures, []);
    const [question] = await server.must('GET /import/source_users', { token: developer.token });
    await server.must(`POST /import/source_users/${question.id}/accept`, { token: developer.token });
    await server.running.services.queue.drain();
    const [security] = await after('/approval_rules');
    assert.deepEqual(
      security.users.map(({ id }: Entity) => id),
      [developer.user.id],
    );
  });
});
