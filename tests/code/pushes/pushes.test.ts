import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import type { Area } from '../../../src/access/area.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { treeChanges } from '../../../src/code/pushes/checks/tree-changes.ts';
import { moveRefs, type Push, PushRefused } from '../../../src/code/pushes/public.ts';
import { createCommit } from '../../../src/platform/git/objects/commit-write.ts';
import { readHead } from '../../../src/platform/git/repository.ts';
import { EMPTY_TREE } from '../../../src/platform/git/trees/tree.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addMember, addPerson, addProject, type Person, subjectFor } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const told: { readonly url: string; readonly push: Push }[] = [];
const listening: Area = {
  name: 'listening',
  on: {
    'repository.pushed': async ({ externalUrl }, _trx, push) => {
      told.push({ url: externalUrl, push });
    },
  },
};

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let developer: Person;
  let project: Project;
  let client: GitClient;

  const remote = (of: Project, person = owner) =>
    withCredentials(server.url, `${owner.user.username}/${of.path}`, 'any', person.token);
  const events = (of: Project, query = '') => server.must(`GET /projects/${of.id}/events?action=pushed&${query}`);
  const repoOf = (of: Project) => server.running.services.git.repository(of.id);

  /** Writes a commit with one additional file like the API does. */
  const write = async (of: Project, parent: string | null, message = 'By API', file = `f${Math.random()}`) => {
    const { git } = server.running.services;
    const repo = repoOf(of);
    const tree = parent === null ? null : ((await git.objects(repo).commit(parent))?.tree ?? null);
    const writer = git.writer(repo);
    const editor = await git.editTree(repo, tree);
    await editor.create(file, { mode: '100644', oid: await writer.add('blob', Buffer.from(message)) });
    const who = { name: 'Ann', email: 'ann@example.com', seconds: 1_700_000_000, zone: 0 };
    const parents = parent === null ? [] : [parent];
    const commit = await createCommit(writer, {
      tree: await editor.write(writer),
      parents,
      author: who,
      committer: who,
      message,
    });
    await writer.flush();
    return commit;
  };
  const move = async (
    of: Project,
    person: Person,
    changes: { ref: string; old: string | null; new: string | null }[],
    purpose?: 'merge',
  ) =>
    moveRefs(server.running.services, {
      actor: actorOnBehalfOf(person.user),
      subject: await subjectFor(server, person, of),
      changes,
      protocol: 'web',
      ...(purpose ? { purpose } : {}),
    });

  before(async () => {
    server = await startTestServer(engine, [], [listening]);
    owner = await addPerson(server, 'owner');
    developer = await addPerson(server, 'developer');
    project = await addProject(server, owner, 'p');
    await addMember(server, project, developer, Role.developer);
    client = new GitClient();
    await client.init('trunk');
    await client.commit({ a: '1' }, 'First');
    await client.git('push', '-q', remote(project), 'trunk');
  });

  it('makes the first pushed branch the default branch, sets HEAD and protects the branch', async () => {
    const shown = await server.must(`GET /projects/${project.id}`);
    assert.deepEqual([shown.default_branch, shown.empty_repo], ['trunk', false]);
    assert.equal(await readHead(repoOf(project)), 'refs/heads/trunk');
    const [rule] = await server.must(`GET /projects/${project.id}/protected_branches`);
    assert.equal(rule.name, 'trunk');
    assert.deepEqual(
      [rule.push_access_levels[0].access_level, rule.merge_access_levels[0].access_level, rule.allow_force_push],
      [40, 40, false],
    );
    const [event] = await events(project);
    assert.deepEqual(event.push_data, {
      commit_count: 1,
      action: 'created',
      ref_type: 'branch',
      commit_from: null,
      commit_to: await client.git('rev-parse', 'HEAD'),
      ref: 'trunk',
      commit_title: 'First',
      ref_count: null,
    });
    const push = told.findLast((each) => each.url === server.url)?.push;
    assert.deepEqual(
      [push?.projectId, push?.first, push?.protocol, push?.userId],
      [project.id, true, 'http', owner.user.id],
    );
  });

  it('prefers the configured default branch regardless of its position in the push', async () => {
    const wanting = await addProject(server, owner, 'wanting');
    const other = new GitClient();
    await other.init('main');
    await other.commit({ a: '1' });
    await other.git('branch', 'aaa');
    await other.git('push', '-q', remote(wanting), 'aaa', 'main');
    assert.equal((await server.must(`GET /projects/${wanting.id}`)).default_branch, 'main');
  });

  it('rejects forbidden git pushes without keeping their objects', async () => {
    const other = new GitClient();
    await other.git('clone', '-q', remote(project, developer), '.');
    const sha = await other.commit({ b: '1' }, 'Not allowed');
    const refused = async (text: RegExp, ...args: string[]) => {
      const { code, stderr } = await other.run('push', 'origin', ...args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, text);
    };
    await refused(
      /remote: GitLab: You are not allowed to push code to protected branches on this project\./,
      'HEAD:trunk',
    );
    await refused(/pre-receive hook declined/, 'HEAD:trunk', 'HEAD:free');
    await refused(/GitLab: You cannot create a branch with a SHA-1 or SHA-256 branch name\./, `HEAD:refs/heads/${sha}`);
    await refused(/The default branch of a project cannot be deleted\./, ':trunk');
    await refused(/deny updating a hidden ref/, 'HEAD:refs/merge-requests/1/head');
    await refused(/deny updating a hidden ref/, 'HEAD:refs/keep-around/x');
    await refused(/You cannot use default branch name to create a tag/, 'HEAD:refs/tags/trunk');
    const repo = repoOf(project);
    assert.equal((await server.running.services.git.objects(repo).info(sha)).status, 'missing');
    assert.deepEqual(
      readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_')),
      [],
    );
    assert.equal((await events(project)).length, 1);
    await other.git('push', '-q', 'origin', 'HEAD:free', 'HEAD:refs/notes/x');
    assert.equal((await events(project))[0].push_data.ref, 'free');
  });

  it('allows maintainers to push but not to force push', async () => {
    const other = new GitClient();
    await other.git('clone', '-q', remote(project), '.');
    await other.commit({ c: '1' });
    await other.commit({ c: '2' }, `${'x'.repeat(80)}\n\nbody`);
    await other.git('push', '-q', 'origin', 'trunk');
    const [event] = await events(project);
    assert.deepEqual([event.push_data.commit_count, event.push_data.action], [2, 'pushed']);
    assert.equal(event.push_data.commit_title, `${'x'.repeat(67)}...`);
    await other.git('reset', '-q', '--hard', 'HEAD~1');
    const { stderr } = await other.run('push', '--force', 'origin', 'trunk');
    assert.match(stderr, /You are not allowed to force push code to a protected branch on this project\./);
    await server.must(`PATCH /projects/${project.id}/protected_branches/trunk`, { json: { allow_force_push: true } });
    await other.git('push', '-q', '--force', 'origin', 'trunk');
    await server.must(`PATCH /projects/${project.id}/protected_branches/trunk`, { json: { allow_force_push: false } });
  });

  it('creates events for tags, deletions and many refs', async () => {
    const many = await addProject(server, owner, 'many');
    const other = new GitClient();
    await other.init();
    await other.commit({ a: '1' }, 'Base');
    await other.git('push', '-q', remote(many), 'main');
    await other.git('tag', 'v1');
    await other.git('tag', '-a', '-m', 'annotated', 'v2');
    await other.git('push', '-q', remote(many), 'v1', 'v2');
    const tags = await events(many);
    assert.deepEqual(
      tags
        .slice(0, 2)
        .map((event: { action_name: string; push_data: Record<string, unknown> }) => [
          event.action_name,
          event.push_data.ref_type,
          event.push_data.commit_title,
        ]),
      [
        ['pushed new', 'tag', 'Base'],
        ['pushed new', 'tag', 'Base'],
      ],
    );
    for (const name of ['a', 'b', 'c', 'd', 'e']) await other.git('branch', name);
    await other.git('push', '-q', remote(many), 'a', 'b', 'c', 'd', 'e');
    const [bulk] = await events(many);
    assert.deepEqual(bulk.push_data, {
      commit_count: 0,
      action: 'created',
      ref_type: 'branch',
      commit_from: null,
      commit_to: null,
      ref: null,
      commit_title: null,
      ref_count: 5,
    });
    await other.git('push', '-q', remote(many), ':a');
    const [deleted] = await events(many);
    assert.deepEqual(
      [deleted.action_name, deleted.push_data.action, deleted.push_data.commit_to],
      ['deleted', 'removed', null],
    );
    await server.must('PUT /application/settings', { json: { push_event_activities_limit: 1 } });
    await other.git('push', '-q', remote(many), ':b', ':c');
    await server.must('PUT /application/settings', { json: { push_event_activities_limit: 3 } });
    const [both] = await events(many);
    assert.deepEqual([both.push_data.action, both.push_data.ref_count], ['removed', 2], 'as configured');
  });

  it('applies the same rules to ref updates by the API', async () => {
    const before = await server.running.services.git.readRef(repoOf(project), 'refs/heads/trunk');
    const commit = await write(project, before);
    const change = { ref: 'refs/heads/trunk', old: before, new: commit };
    await assert.rejects(move(project, developer, [change]), (error: unknown) => {
      assert.ok(error instanceof PushRefused);
      assert.equal(error.message, 'You are not allowed to push code to protected branches on this project.');
      return true;
    });
    const count = told.length;
    const done = await move(project, owner, [change]);
    assert.ok(done.status === 'ok');
    assert.deepEqual([done.push.protocol, done.push.refs[0]?.commitCount, told.length], ['web', 1, count + 1]);
    assert.equal((await move(project, owner, [{ ...change, new: await write(project, commit) }])).status, 'stale');
    const taken = { ref: 'refs/heads/trunk/below', old: null, new: commit };
    assert.equal((await move(project, owner, [taken])).status, 'name-conflict');
    assert.equal(told.length, count + 1);
    const pending = await server.db.read.selectFrom('pushes').select('id').where('state', '=', 'pending').execute();
    assert.deepEqual(pending, []);
    await assert.rejects(
      move(project, owner, [{ ref: 'refs/merge-requests/1/head', old: null, new: commit }]),
      PushRefused,
    );
  });

  it('initializes an empty repository by the API', async () => {
    const empty = await addProject(server, owner, 'empty');
    const commit = await write(empty, null, 'Root');
    const result = await move(empty, owner, [{ ref: 'refs/heads/start', old: null, new: commit }]);
    assert.ok(result.status === 'ok' && result.push.first);
    const shown = await server.must(`GET /projects/${empty.id}`);
    assert.deepEqual([shown.default_branch, shown.empty_repo], ['start', false]);
  });

  it('keeps all commits of concurrent writes to a branch', async () => {
    const racing = await addProject(server, owner, 'racing');
    const root = await write(racing, null, 'Root');
    await move(racing, owner, [{ ref: 'refs/heads/main', old: null, new: root }]);
    const { git } = server.running.services;
    const repo = repoOf(racing);
    const commitUntilDone = async (name: string) => {
      for (;;) {
        const tip = await git.readRef(repo, 'refs/heads/main');
        const commit = await write(racing, tip, name, name);
        const { status } = await move(racing, owner, [{ ref: 'refs/heads/main', old: tip, new: commit }]);
        if (status === 'ok') return;
        assert.ok(status === 'stale' || status === 'locked', status);
      }
    };
    const names = Array.from({ length: 8 }, (_, i) => `writer-${i}`);
    await Promise.all(names.map(commitUntilDone));
    const tip = (await git.readRef(repo, 'refs/heads/main')) as string;
    const history = await git.commits(repo, { tips: [tip], limit: 50 });
    assert.deepEqual(history.map((commit) => commit.message).sort(), ['Root', ...names].sort());
    assert.equal((await events(racing)).length, names.length + 1);
  });

  it('enforces push rules for git and the API', async () => {
    const ruled = await addProject(server, owner, 'ruled');
    const rule = `/projects/${ruled.id}/push_rule`;
    const other = new GitClient();
    await other.init();
    await other.commit({ a: '1' }, 'JIRA-1 start');
    await other.git('push', '-q', remote(ruled), 'main');
    await server.must(`POST ${rule}`, {
      json: {
        commit_message_regex: '^JIRA-\\d+',
        branch_name_regex: '^(topic/|main$)',
        file_name_regex: '\\.exe$',
        max_file_size: 1,
      },
    });
    const refused = async (text: RegExp, ref = 'HEAD:main') => {
      const { code, stderr } = await other.run('push', remote(ruled), ref);
      assert.equal(code, 1, stderr);
      assert.match(stderr, text);
      await other.git('reset', '-q', '--hard', 'HEAD~1');
    };
    await other.commit({ a: '2' }, 'No ticket');
    await refused(/GitLab: Commit message does not follow the pattern '\^JIRA-\\d\+'/);
    await other.commit({ 'bin/x.exe': '2' }, 'JIRA-2');
    await refused(/GitLab: File name bin\/x\.exe was prohibited by the pattern/);
    await other.commit({ big: Buffer.alloc(1024 * 1024 + 1) }, 'JIRA-3');
    await refused(/GitLab: File "big" is larger than the allowed size of 1 MiB\./);
    await other.commit({ a: '2' }, 'JIRA-4');
    await refused(/GitLab: Cannot create branch\. The branch name must match this regular expression/, 'HEAD:other');
    const tip = await server.running.services.git.readRef(repoOf(ruled), 'refs/heads/main');
    const change = (commit: string) => [{ ref: 'refs/heads/main', old: tip, new: commit }];
    await assert.rejects(move(ruled, owner, change(await write(ruled, tip, 'None'))), /does not follow the pattern/);
    await assert.rejects(move(ruled, owner, change(await write(ruled, tip, 'JIRA-5', 'x.exe'))), /was prohibited/);
    await server.must(`PUT ${rule}`, { json: { reject_unsigned_commits: true } });
    assert.equal((await move(ruled, owner, change(await write(ruled, tip, 'JIRA-6')))).status, 'ok');
  });

  it('leaves the listing of very large changes to git', async () => {
    const wide = await addProject(server, owner, 'wide');
    const other = new GitClient();
    await other.init();
    await other.commit({ a: '1' });
    const folder = (entry: string, name: string) => {
      const lines = Array.from({ length: 18 }, (_, n) => `${entry}\t${name}${n}\n`);
      return execFileSync('git', ['mktree'], { cwd: other.folder, env: other.env, input: lines.join('') })
        .toString()
        .trim();
    };
    // A single blob and three trees that expand to 5832 files.
    let tree = folder(`100644 blob ${await other.git('rev-parse', 'HEAD:a')}`, 'f');
    for (const name of ['c', 'b']) tree = folder(`040000 tree ${tree}`, name);
    const bomb = await other.git('commit-tree', '-p', 'HEAD', '-m', 'wide', tree);
    await other.git('push', '-q', remote(wide), 'main', `${bomb}:refs/heads/wide`);
    await server.must(`POST /projects/${wide.id}/push_rule`, { json: { file_name_regex: 'b17/c17/f17$' } });
    const pick = { token: owner.token, json: { branch: 'main' } };
    const answer = await server.api(`POST /projects/${wide.id}/repository/commits/${bomb}/cherry_pick`, pick);
    assert.match(answer.text, /File name b17\/c17\/f17 was prohibited by the pattern/);
    const objects = server.running.services.git.objects(repoOf(wide));
    assert.equal(await treeChanges(objects, EMPTY_TREE, tree), undefined);
    assert.equal((await treeChanges(objects, EMPTY_TREE, tree, 10_000))?.length, 5832);
  });
});
