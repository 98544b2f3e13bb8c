import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import type { Area } from '../../../src/access/area.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import type { MergedRequestFinder } from '../../../src/code/commits/merge-requests.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

const automatic =
  "Can't perform this action automatically. It may have already been done, or a more recent commit may have updated " +
  'some of this content. Please perform this action locally.';

let mergedRequest: MergedRequestFinder = async () => undefined;
const knowing: Area = {
  name: 'knowing',
  contributes: { 'commits.mergedRequest': (...asked) => mergedRequest(...asked) },
};

let source: GitClient;
before(async () => {
  source = new GitClient();
  await source.init();
  await source.commit({ a: '1\n', b: '1\n' }, 'root');
  await source.git('branch', 'target');
  await source.git('branch', 'conflict');
  await source.git('checkout', '-q', '-b', 'side');
  await source.commit({ c: 'side\n' }, 'on the side');
  await source.git('checkout', '-q', 'main');
  await source.commit({ a: '2\n' }, 'Change a\n\nand say why');
  await source.git('merge', '-q', '--no-ff', '-m', 'merge side', 'side');
  await source.git('checkout', '-q', 'conflict');
  await source.commit({ a: 'other\n' }, 'conflicting');
});

forEachEngine((engine) => {
  describe('cherry-pick and revert', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let reporter: Person;
    let project: Project;
    let change: string;
    let merge: string;

    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: server.running.services.git.repository(project.id).path })
        .toString()
        .trim();
    const call = (what: string, sha: string, json: object, token: string | null = owner.token): Promise<Answer> =>
      server.api(`POST /projects/${project.id}/repository/commits/${encodeURIComponent(sha)}/${what}`, { token, json });
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];

    before(async () => {
      server = await startTestServer(engine, [], [knowing]);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      reporter = await addPerson(server, 'reporter');
      project = await addFilledProject(server, owner, 'picked', source, 'public');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, reporter, Role.reporter);
      change = await source.git('rev-parse', 'main~1');
      merge = await source.git('rev-parse', 'main');
    });

    it('leave the repository unchanged on a dry run', async () => {
      const tip = git('rev-parse', 'target');
      for (const what of ['cherry_pick', 'revert']) {
        const branch = what === 'revert' ? 'main' : 'target';
        const tried = await call(what, change, { branch, dry_run: true });
        assert.deepEqual([tried.status, tried.body], [200, { dry_run: 'success' }]);
      }
      assert.equal(git('rev-parse', 'target'), tip);
      const failing = await call('cherry_pick', change, { branch: 'conflict', dry_run: true });
      assert.deepEqual(
        [failing.status, failing.body],
        [400, { message: `Commit cherry-pick failed: ${automatic}`, error_code: 'conflict', dry_run: 'error' }],
      );
    });

    it('cherry-pick a change once as the caller', async () => {
      const parent = git('rev-parse', 'target');
      const { status, body } = await call('cherry_pick', change, { branch: 'target' }, developer.token);
      assert.equal(status, 201);
      assert.equal(
        body.message,
        `Change a\n\nand say why\n\n(cherry picked from commit ${change})\n\nCo-authored-by: Ann Author <ann@example.com>`,
      );
      assert.deepEqual([body.author_name, body.committer_name], ['developer', 'developer']);
      assert.deepEqual(body.parent_ids, [parent]);
      assert.equal(git('show', 'target:a'), '2');
      assert.equal(git('diff', '--name-only', parent, 'target'), 'a');
      const again = await call('cherry_pick', change, { branch: 'target' });
      assert.deepEqual(
        [again.status, again.body],
        [400, { message: `Commit cherry-pick failed: ${automatic}`, error_code: 'empty' }],
      );
    });

    it('revert a change once', async () => {
      const { status, body } = await call('revert', change, { branch: 'target' });
      assert.deepEqual([status, body.message], [201, `Revert "Change a"\n\nThis reverts commit ${change}`]);
      assert.equal(git('show', 'target:a'), '1');
      const again = await call('revert', change, { branch: 'target' });
      assert.deepEqual([again.status, again.body.error_code], [400, 'empty']);
      assert.match(again.body.message, /^Commit revert failed: Can't perform/);
    });

    it('mention the merge request of a merge commit', async () => {
      const brought = await source.git('rev-parse', 'side');
      mergedRequest = async (_services, { subject }, sha) =>
        subject.project.id === project.id && sha === merge
          ? { id: 7, iid: 7, commits: [{ id: brought, title: 'on the side' }] }
          : undefined;
      await server.must(`POST /projects/${project.id}/repository/branches?branch=merged&ref=target`);
      const picked = await call('cherry_pick', merge, { branch: 'merged' });
      assert.equal(
        picked.body.message,
        `merge side\n\n(cherry picked from commit ${merge})\n\n${brought.slice(0, 8)} on the side\n\n` +
          'Co-authored-by: Ann Author <ann@example.com>',
      );
      const again = await call('cherry_pick', merge, { branch: 'merged' });
      assert.deepEqual(says(again), [400, `Merge request cherry-pick failed: ${automatic}`]);
      const reverted = await call('revert', merge, { branch: 'merged' });
      assert.equal(reverted.body.message, 'Revert "merge side"\n\nThis reverts merge request !7');
      assert.deepEqual(says(await call('revert', merge, { branch: 'merged' })), [
        400,
        `Merge request revert failed: ${automatic}`,
      ]);
      mergedRequest = async () => undefined;
    });

    it('pick merge commits relative to their first parent and accept a custom message', async () => {
      const { status, body } = await call('cherry_pick', merge, { branch: 'target', message: 'My words' });
      assert.deepEqual([status, body.message], [201, 'My words']);
      assert.equal(git('diff', '--name-only', 'target~1', 'target'), 'c');
      assert.equal((await call('revert', merge, { branch: 'target' })).status, 201);
      assert.equal(git('ls-tree', 'target', 'c'), '');
    });

    it('revert the root commit to an empty tree in a valid repository', async () => {
      const root = git('rev-list', '--max-parents=0', 'main');
      const json = { branch: 'nothing', ref: root };
      await server.must(`POST /projects/${project.id}/repository/branches`, { json });
      assert.equal((await call('revert', root, { branch: 'nothing' })).status, 201);
      assert.equal(git('ls-tree', 'nothing'), '');
      git('fsck', '--strict', '--no-dangling');
    });

    it('report conflicts without changing the branch', async () => {
      const answer = await call('cherry_pick', change, { branch: 'conflict' });
      assert.deepEqual([answer.status, answer.body.error_code], [400, 'conflict']);
      git('fsck', '--strict', '--no-dangling');
    });

    it('check authentication, permissions and parameters in this order', async () => {
      const no = '403 Forbidden - You are not allowed to push into this branch';
      for (const what of ['cherry_pick', 'revert']) {
        assert.deepEqual(says(await call(what, change, {}, null)), [401, '401 Unauthorized']);
        assert.deepEqual(says(await call(what, change, {})), [400, 'branch is missing, branch is empty']);
        assert.deepEqual(says(await call(what, 'nope', { branch: 'target' }, reporter.token)), [403, no]);
        assert.deepEqual(says(await call(what, change, { branch: 'main' }, developer.token)), [403, no]);
        assert.deepEqual(says(await call(what, 'nope', { branch: 'a..b' })), [404, '404 Commit Not Found']);
        assert.deepEqual(says(await call(what, change, { branch: 'a..b' })), [400, 'The branch refname is invalid']);
        assert.deepEqual(says(await call(what, change, { branch: 'nope' })), [404, '404 Branch Not Found']);
      }
    });
  });
});
