import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { BranchNotMoved, moveBranch } from '../../../src/code/commits/branch/move.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person, subjectFor } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('creating commits', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let project: Project;

    const repository = (of: Project) => server.running.services.git.repository(of.id).path;
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: repository(project) })
        .toString()
        .trim();
    const commit = (fields: object, token: string | null = owner.token, of = project): Promise<Answer> =>
      server.api(`POST /projects/${of.id}/repository/commits`, {
        token,
        json: { branch: 'main', commit_message: 'a message', ...fields },
      });
    const act = (action: string, file_path: string, rest: object = {}) => ({ action, file_path, ...rest });
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      project = await addProject(server, owner, 'made', 'public');
      await addMember(server, project, developer, Role.developer);
    });

    it('initializes an empty repository and returns the commit', async () => {
      const { status, body } = await commit({
        commit_message: 'First\n\nBody',
        actions: [
          act('create', 'a/one.txt', { content: 'one\ntwo\n' }),
          act('create', '/b.bin', { content: 'AAEC\n/w==', encoding: 'base64' }),
          act('create', 'empty', { content: '' }),
        ],
        author_name: 'Ada',
        author_email: 'ada@example.com',
      });
      assert.equal(status, 201);
      assert.equal(body.id, git('rev-parse', 'main'));
      assert.deepEqual(
        [body.title, body.message, body.author_name, body.author_email, body.committer_email],
        ['First', 'First\n\nBody', 'Ada', 'ada@example.com', owner.user.email],
      );
      assert.deepEqual([body.parent_ids, body.stats], [[], { additions: 2, deletions: 0, total: 2 }]);
      assert.equal(git('ls-tree', '-r', '--name-only', 'main'), 'a/one.txt\nb.bin\nempty');
      assert.equal(
        execFileSync('git', ['show', 'main:b.bin'], { cwd: repository(project) }).toString('hex'),
        '000102ff',
      );
      git('fsck', '--strict');
    });

    it('applies all five actions in order', async () => {
      const { status, body } = await commit({
        actions: [
          act('update', 'a/one.txt', { content: 'ONE\n' }),
          act('move', 'c/moved.txt', { previous_path: 'a/one.txt' }),
          act('move', 'd.bin', { previous_path: 'b.bin', content: 'new' }),
          act('chmod', 'c/moved.txt', { execute_filemode: true }),
          act('delete', 'empty'),
          act('create', 'empty', { content: 'not empty' }),
          act('chmod', 'd.bin', { execute_filemode: false }),
        ],
        stats: false,
      });
      assert.equal(status, 201);
      assert.ok(!('stats' in body));
      const modes = git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'main').split('\n');
      assert.deepEqual(modes, ['100755 c/moved.txt', '100644 d.bin', '100644 empty']);
      assert.deepEqual(
        ['c/moved.txt', 'd.bin', 'empty'].map((path) => git('show', `main:${path}`)),
        ['ONE', 'new', 'not empty'],
      );
    });

    it('aborts completely at the first failing action', async () => {
      const tip = git('rev-parse', 'main');
      const texts: [object[], string][] = [
        [
          [act('create', 'x', { content: '' }), act('create', 'x', { content: '' })],
          'A file with this name already exists',
        ],
        [[act('create', 'c', { content: '' })], 'A directory with this name already exists'],
        [[act('create', 'empty/below', { content: '' })], 'A directory with this name already exists'],
        [[act('update', 'nope', { content: '' })], "A file with this name doesn't exist"],
        [[act('update', 'c', { content: '' })], "A file with this name doesn't exist"],
        [[act('delete', 'nope')], "A file with this name doesn't exist"],
        [[act('chmod', 'nope', { execute_filemode: true })], "A file with this name doesn't exist"],
        [[act('move', 'y', { previous_path: 'nope' })], "A file with this name doesn't exist"],
        [[act('move', 'empty', { previous_path: 'd.bin' })], 'A file with this name already exists'],
        [[act('move', 'd.bin', { previous_path: 'd.bin' })], 'A file with this name already exists'],
        [[act('create', '../x', { content: '' })], 'Path cannot include directory traversal'],
        [[act('create', 'a/.git/hooks/x', { content: '' })], "invalid path: 'a/.git/hooks/x'"],
        [[act('create', 'x', { content: 'a b', encoding: 'base64' })], 'illegal base64 data at input byte 1'],
        [
          [act('create', 'x', { content: 'a'.repeat(90_001), encoding: 'base64' })],
          'illegal base64 data at input byte 90001',
        ],
      ];
      for (const [actions, text] of texts) assert.deepEqual(says(await commit({ actions })), [400, text]);
      assert.equal(git('rev-parse', 'main'), tip);
    });

    it('checks push access before the body', async () => {
      const no = '403 Forbidden - You are not allowed to push into this branch';
      const reporter = await addPerson(server, 'reporter');
      await addMember(server, project, reporter, Role.reporter);
      assert.deepEqual(says(await commit({ actions: 'x' }, null)), [401, '401 Unauthorized']);
      assert.deepEqual(says(await commit({ actions: 'x' }, reporter.token)), [403, no]);
      assert.deepEqual(says(await commit({ actions: 'x' }, developer.token)), [403, no]);
      assert.deepEqual(says(await commit({ actions: 'x' })), [400, '400 Bad request - actions must be an array']);
      assert.deepEqual(says(await commit({ branch: null })), [400, '400 Bad request - branch is required']);
    });

    it('allows empty commits with allow_empty', async () => {
      const tree = git('rev-parse', 'main^{tree}');
      const { status, body } = await commit({ allow_empty: true, actions: [] });
      assert.deepEqual([status, body.stats], [201, { additions: 0, deletions: 0, total: 0 }]);
      assert.equal(git('rev-parse', 'main^{tree}'), tree);
      assert.deepEqual(says(await commit({})), [
        400,
        '400 Bad request - Provide at least one action, or set allow_empty to true',
      ]);
    });

    it('accepts form encoding', async () => {
      const form = new URLSearchParams([
        ['branch', 'main'],
        ['commit_message', 'by form'],
        ['actions[][action]', 'create'],
        ['actions[][file_path]', 'form/1'],
        ['actions[][content]', 'one'],
        ['actions[][action]', 'chmod'],
        ['actions[][file_path]', 'form/1'],
        ['actions[][execute_filemode]', 'true'],
      ]).toString();
      const answer = await server.api(`POST /projects/${project.id}/repository/commits`, { token: owner.token, form });
      assert.equal(answer.status, 201);
      assert.equal(git('ls-tree', '--format=%(objectmode)', 'main', 'form/1'), '100755');
    });

    it('starts from a branch or a commit', async () => {
      const root = git('rev-list', '--max-parents=0', 'main');
      const create = [act('create', 'started', { content: 'x' })];
      const sha = await commit({ branch: 'from-sha', start_sha: root, actions: create });
      assert.deepEqual([sha.status, sha.body.parent_ids], [201, [root]]);
      const branch = await commit({
        branch: 'from-branch',
        start_branch: 'from-sha',
        actions: [act('delete', 'started')],
      });
      assert.deepEqual([branch.status, branch.body.parent_ids], [201, [sha.body.id]]);
      const again = await commit({ branch: 'from-sha', start_branch: 'main', actions: create });
      const taken = "A branch called 'from-sha' already exists. Switch to that branch in order to make changes";
      assert.deepEqual(says(again), [400, taken]);
      assert.deepEqual(says(await commit({ branch: 'from-sha', start_sha: root, actions: create })), [400, taken]);
      const texts: [object, string][] = [
        [{ start_sha: 'abc' }, "Invalid start_sha 'abc'"],
        [{ start_sha: 'main' }, "Invalid start_sha 'main'"],
        [{ start_sha: 'f'.repeat(40) }, `Cannot find start_sha '${'f'.repeat(40)}'`],
        [{ start_branch: 'nope' }, 'You can only create or edit files when you are on a branch'],
        [
          { start_branch: 'main', branch: 'a b' },
          "Something went wrong when we tried to create 'a b' for you: Branch name is invalid",
        ],
      ];
      for (const [fields, text] of texts) {
        assert.deepEqual(says(await commit({ branch: 'new', actions: create, ...fields })), [400, text]);
      }
    });

    it('overwrites a branch with force, unless it is protected', async () => {
      const root = git('rev-list', '--max-parents=0', 'main');
      const actions = [act('create', 'forced', { content: 'x' })];
      const forced = await commit({ branch: 'from-sha', start_sha: root, force: 'true', actions });
      assert.deepEqual([forced.status, git('rev-parse', 'from-sha^')], [201, root]);
      const guarded = await commit({ branch: 'main', start_sha: root, force: true, actions });
      assert.deepEqual(says(guarded), [
        400,
        'You are not allowed to force push code to a protected branch on this project.',
      ]);
      const before = git('rev-parse', 'main');
      assert.equal((await commit({ force: true, actions })).status, 201);
      assert.equal(git('rev-parse', 'main^'), before);
    });

    it('detects concurrent changes of a file', async () => {
      const seen = git('rev-parse', 'main');
      assert.equal(
        (await commit({ actions: [act('update', 'd.bin', { content: '2', last_commit_id: seen })] })).status,
        201,
      );
      const stale = 'The file has changed since you started editing it: d.bin';
      for (const action of [
        act('update', 'd.bin', { content: '3', last_commit_id: seen }),
        act('delete', 'd.bin', { last_commit_id: seen }),
        act('move', 'e.bin', { previous_path: 'd.bin', last_commit_id: seen }),
        act('chmod', 'd.bin', { execute_filemode: true, last_commit_id: seen }),
      ]) {
        assert.deepEqual(says(await commit({ actions: [action] })), [400, stale]);
      }
      const unseen = act('update', 'd.bin', { content: '3', last_commit_id: 'f'.repeat(40) });
      assert.equal((await commit({ actions: [unseen] })).status, 201);
    });

    it('stores created files in LFS according to .gitattributes', async () => {
      await commit({ actions: [act('create', '.gitattributes', { content: '*.big filter=lfs\n' })] });
      const made = await commit({
        actions: [act('create', 'x.big', { content: 'large' }), act('create', 'x.small', { content: 'small' })],
      });
      assert.equal(made.status, 201);
      assert.match(git('show', 'main:x.big'), /^version .*\noid sha256:[0-9a-f]{64}\nsize 5$/);
      assert.equal(git('show', 'main:x.small'), 'small');
      const file = `/projects/${project.id}/repository/files/x.big/raw?lfs=true`;
      assert.equal((await server.api(`GET ${file}`)).text, 'large');
      assert.equal((await commit({ actions: [act('update', 'x.big', { content: 'as it is' })] })).status, 201);
      assert.equal(git('show', 'main:x.big'), 'as it is');
    });

    it('handles many files with a large one among them', async () => {
      const many = Array.from({ length: 120 }, (_, n) => act('create', `many/${n}`, { content: `${n}` }));
      const large = act('create', 'many/large', { content: 'x'.repeat(300_000) });
      assert.equal((await commit({ actions: [...many, large] })).status, 201);
      assert.equal(git('cat-file', '-s', 'main:many/large'), '300000');
    });

    it('handles many files in a large folder', async () => {
      const names = (letter: string, count: number) =>
        Array.from({ length: count }, (_, n) => act('create', `wide/${letter.repeat(200)}${n}`, { content: letter }));
      assert.equal((await commit({ actions: names('a', 1200) })).status, 201);
      assert.equal((await commit({ actions: names('b', 120) })).status, 201);
      assert.equal(git('ls-tree', '--name-only', 'main:wide').split('\n').length, 1320);
    });

    it('removes empty folders but keeps their siblings', async () => {
      const paths = ['gone/a/x', 'gone/b/x', 'gone/b/c/x', 'gone/d/x'];
      await commit({ actions: paths.map((path) => act('create', path, { content: 'a' })) });
      await commit({ actions: ['gone/a/x', 'gone/b/c/x'].map((path) => act('delete', path)) });
      assert.equal(git('ls-tree', '-r', '--name-only', 'main', 'gone'), 'gone/b/x\ngone/d/x');
    });

    it('rejects too many actions', async () => {
      const actions = Array.from({ length: 20_001 }, (_, n) => act('create', `${n}`, { content: '' }));
      const refused = [400, '400 Bad request - actions is too long (maximum is 20000 actions)'];
      assert.deepEqual(says(await commit({ actions })), refused);
    });

    it('never updates a branch that has moved meanwhile', async () => {
      const subject = await subjectFor(server, owner, project);
      const move = { branch: 'main', old: git('rev-parse', 'main~1'), new: git('rev-parse', 'main') };
      const who = { caller: actorOnBehalfOf(owner.user), subject };
      await assert.rejects(moveBranch(server.running.services, who, move), (error) => {
        assert.ok(error instanceof BranchNotMoved);
        const message = 'Could not update refs/heads/main. Please refresh and try again.';
        assert.deepEqual([error.raced, error.message], [true, message]);
        return true;
      });
    });

    it('starts from the source project of a fork', async () => {
      const fork = await server.must(`POST /projects/${project.id}/fork`, {
        token: developer.token,
        json: { path: `fork-${engine}` },
      });
      const waited = async () => (await server.must(`GET /projects/${fork.id}`)).import_status;
      while (!['finished', 'none', 'failed'].includes(await waited())) await new Promise((done) => setImmediate(done));
      assert.equal((await commit({ actions: [act('create', 'later', { content: 'later' })] })).status, 201);
      const later = git('rev-parse', 'main');
      const target = { id: fork.id } as Project;
      const actions = [act('create', 'in-fork', { content: 'x' })];
      const made = await commit(
        { branch: 'synced', start_branch: 'main', start_project: project.id, actions },
        developer.token,
        target,
      );
      assert.deepEqual([made.status, made.body.parent_ids], [201, [later]]);
      execFileSync('git', ['fsck', '--strict', '--no-dangling'], { cwd: repository(target), stdio: 'pipe' });
      const stranger = await addProject(server, developer, `stranger-${engine}`, 'public');
      const refused = await commit(
        { branch: 'x', start_branch: 'main', start_project: stranger.id, actions },
        developer.token,
        target,
      );
      assert.equal(refused.status, 403);
      assert.match(
        refused.body.message,
        /^403 Forbidden - Project is not included in the fork network for developer.* \/ stranger-/,
      );
      const unknown = await commit({ branch: 'x', start_project: 99999, actions }, developer.token, target);
      assert.deepEqual(says(unknown), [404, '404 Project Not Found']);
    });

    it('deletes all files and leaves a valid repository', async () => {
      const bare = await addProject(server, owner, `nothing-${engine}`);
      const made = await commit({ allow_empty: true }, owner.token, bare);
      assert.deepEqual([made.status, made.body.parent_ids], [201, []]);
      const steps = [act('create', 'only', { content: 'x' }), act('delete', 'only')];
      for (const step of steps) assert.equal((await commit({ actions: [step] }, owner.token, bare)).status, 201);
      execFileSync('git', ['fsck', '--strict', '--no-dangling'], { cwd: repository(bare), stdio: 'pipe' });
    });

    it('waits until a fork has been copied', async () => {
      const fork = await addProject(server, owner, `copied-${engine}`);
      const state = (import_status: string) =>
        server.db.write((trx) =>
          trx.updateTable('projects').set({ import_status }).where('id', '=', fork.id).execute(),
        );
      const actions = [act('create', 'early', { content: 'x' })];
      for (const status of ['scheduled', 'started']) {
        await state(status);
        const early = await commit({ actions }, owner.token, fork);
        assert.deepEqual(says(early), [400, 'You can only create or edit files when you are on a branch']);
        const ask = (service: string) =>
          fetch(`${server.url}/${owner.user.username}/${fork.path}.git/info/refs?service=${service}`, {
            headers: { authorization: `Basic ${btoa(`x:${owner.token}`)}` },
          });
        const pushed = await ask('git-receive-pack');
        assert.equal(pushed.status, 403);
        assert.equal(await pushed.text(), 'The repository is temporarily read-only. Please try again later.\n');
        const pulled = await ask('git-upload-pack');
        assert.equal(pulled.status, 503);
        assert.equal(await pulled.text(), 'The repository is being copied. Please try again later.\n');
      }
      await state('finished');
      assert.equal((await commit({ actions }, owner.token, fork)).status, 201);
    });

    it('updates submodules', async () => {
      const sha = 'a'.repeat(40);
      const next = 'b'.repeat(40);
      const put = (fields: object, path = 'lib', token: string | null = owner.token) =>
        server.api(`PUT /projects/${project.id}/repository/submodules/${encodeURIComponent(path)}`, {
          token,
          json: { branch: 'main', commit_sha: next, ...fields },
        });
      assert.deepEqual(says(await put({})), [400, 'Invalid submodule path']);
      const env = { ...process.env, GIT_INDEX_FILE: `/tmp/hearth-index-${process.pid}-${engine}` };
      const plumbing = (...args: string[]) =>
        execFileSync('git', args, { cwd: repository(project), env })
          .toString()
          .trim();
      plumbing('read-tree', 'main');
      plumbing('update-index', '--add', '--cacheinfo', `160000,${sha},lib`);
      const tree = plumbing('write-tree');
      const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
      plumbing('update-ref', 'refs/heads/main', plumbing(...who, 'commit-tree', '-p', 'main', '-m', 'add', tree));
      execFileSync('rm', ['-f', env.GIT_INDEX_FILE]);
      const done = await put({});
      assert.deepEqual([done.status, done.body.message], [200, `Update submodule lib with oid ${next}`]);
      assert.equal(git('rev-parse', 'main:lib'), next);
      assert.deepEqual(says(await put({})), [400, `The submodule lib is already at ${next}`]);
      assert.deepEqual(says(await put({ commit_sha: 'abc' })), [400, 'Invalid parameters']);
      assert.deepEqual(says(await put({}, 'empty')), [400, 'Invalid submodule path']);
      assert.deepEqual(says(await put({}, 'lib', null)), [401, '401 Unauthorized']);
      assert.deepEqual(says(await put({}, 'lib', developer.token)), [
        400,
        'You are not allowed to push into this branch',
      ]);
      const update = act('update', 'lib', { content: 'x' });
      assert.deepEqual(says(await commit({ actions: [update] })), [400, "A file with this name doesn't exist"]);
      const file = await server.must(`GET /projects/${project.id}/repository/files/lib?ref=main`);
      assert.deepEqual([file.blob_id, file.size, file.content], [next, 0, '']);
      const empty = await addProject(server, owner, `bare-${engine}`);
      const none = await server.api(`PUT /projects/${empty.id}/repository/submodules/lib`, {
        token: owner.token,
        json: { branch: 'main', commit_sha: next },
      });
      assert.deepEqual(says(none), [400, 'The repository is empty']);
    });
  });
});
