import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { firstTexts } from '../../../src/review/merge-requests/push-options/first-texts.ts';
import { readRequestOptions } from '../../../src/review/merge-requests/push-options/read.ts';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

describe('push options', () => {
  it('for merge requests are parsed, and others ignored', () => {
    assert.equal(readRequestOptions(['ci.skip', 'nonsense', 'merge_request.nonsense=1']), undefined);
    const options = [
      'merge_request.create',
      'merge_request.title=A=B',
      'merge_request.label=x',
      'mr.label=y',
      'mr.draft',
    ];
    const read = readRequestOptions(options);
    assert.deepEqual(
      [read?.create, read?.title, read?.labels, read?.draft, read?.squash],
      [true, 'A=B', ['x', 'y'], true, undefined],
    );
    const switches = readRequestOptions(['mr.squash=false', 'mr.remove_source_branch', 'mr.target_project=a/b']);
    assert.deepEqual([switches?.squash, switches?.removeSource, switches?.targetProject], [false, true, 'a/b']);
  });
});

describe('texts of a merge request opened by a push', () => {
  const of = (basis: Partial<Parameters<typeof firstTexts>[0]>) => {
    const { title, description } = firstTexts({
      ...{ branch: 'fix_the-roof', messages: ['One'], issue: undefined, closes: true, description: undefined },
      ...basis,
    });
    return [title, description];
  };
  const issue = { iid: 7, title: 'Leak', confidential: 0 };
  const long = 'Tile it\n\nWith clay.\n\nTwice.\n';

  for (const [name, basis, expected] of [
    ['of the only commit', { messages: [long] }, ['Tile it', 'With clay.\n\nTwice.']],
    ['of a commit with a title alone', {}, ['One', '']],
    [
      'of the first commit with a body',
      { messages: ['Last\n\nx', long, 'First'] },
      ['Tile it', 'With clay.\n\nTwice.'],
    ],
    ['of the branch', { messages: ['Two', 'One'] }, ['Fix the roof', '']],
    ['of a branch of dashes', { branch: '--', messages: [] }, ['--', '']],
    ['of the issue', { messages: ['Two', 'One'], issue }, ['Resolve "Leak"', 'Closes #7']],
    ['of a confidential issue', { messages: [], issue: { ...issue, confidential: 1 } }, ['Fix the roof', 'Closes #7']],
    ['of an issue that is not closed', { issue, closes: false }, ['One', 'Related to #7']],
    ['with a template', { messages: [long], issue, description: 'Why' }, ['Tile it', 'Why\n\nCloses #7']],
  ] as const) {
    it(name, () => assert.deepEqual(of(basis), expected));
  }
});

forEachEngine((engine) => {
  describe('pushes with merge request options', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    const list = async (query = '') => (await scene.api(scene.owner, `GET ${scene.base}?${query}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
    });

    it('create a merge request and update it with the next push', async () => {
      const { git, push, developer } = scene;
      await git.git('checkout', '-q', '-b', 'asked', 'main');
      await git.commit({ 'a.txt': 'a' }, 'Asked for');
      await push(developer, '-o', 'merge_request.create', '-o', 'merge_request.label=new', 'asked');
      await settle();
      const [made] = await list();
      assert.deepEqual(
        [made.title, made.source_branch, made.target_branch, made.labels, made.author.id],
        ['Asked for', 'asked', 'main', ['new'], developer.user.id],
      );
      await git.commit({ 'a.txt': 'b' }, 'More');
      await push(developer, '-o', 'merge_request.title=Better', '-o', 'merge_request.create', 'asked');
      await settle();
      const after = await list();
      assert.deepEqual([after.length, after[0].title], [1, 'Better']);
      const plain = await git.commit({ 'a.txt': 'c' }, 'No options');
      await push(developer, 'asked');
      await settle();
      assert.equal((await list())[0].sha, plain);
    });

    it('describe a merge request by its commits and the issue of its branch', async () => {
      const { git, push, developer, outsider, server, project } = scene;
      const json = { title: 'Leak', confidential: false };
      const issue = await server.must(`POST /projects/${project.id}/issues`, { token: developer.token, json });
      const branch = `${issue.iid}-roof`;
      await git.git('checkout', '-q', '-b', branch, 'main');
      await git.commit({ 'roof.txt': 'a' }, 'First');
      await git.commit({ 'roof.txt': 'b' }, 'Tile it\n\nWith clay.');
      await git.commit({ 'roof.txt': 'c' }, 'Last');
      await push(developer, '-o', 'mr.create', branch);
      const texts = async (name: string) => {
        await settle();
        const [made] = await list(`source_branch=${name}`);
        return [made.title, made.description];
      };
      assert.deepEqual(await texts(branch), ['Tile it', `With clay.\n\nCloses #${issue.iid}`]);
      await push(developer, '-o', 'mr.create', '-o', 'mr.description=Mine', `${branch}:999-none`);
      assert.deepEqual(await texts('999-none'), ['Tile it', 'Mine']);
      // Whoever pushes cannot read the issue.
      const fork = await server.must(`POST /projects/${project.id}/fork`, { token: outsider.token });
      await settle();
      const token = scene.owner.token;
      const hidden = { confidential: true };
      await server.must(`PUT /projects/${project.id}/issues/${issue.iid}`, { token, json: hidden });
      await shown(outsider, fork.path_with_namespace, '-o', 'mr.create', `${branch}:${issue.iid}-hidden`);
      assert.deepEqual(await texts(`${issue.iid}-hidden`), ['Tile it', 'With clay.']);
      await server.must(`DELETE /projects/${fork.id}`, { token: outsider.token });
    });

    it('can be filtered by deployment', async () => {
      const { owner, project, base } = scene;
      const merged = await scene.api(owner, `PUT ${base}/1/merge`);
      assert.equal(merged.status, 200);
      await scene.server.must(`POST /projects/${project.id}/deployments`, {
        token: owner.token,
        json: {
          environment: 'production',
          sha: merged.body.merge_commit_sha,
          ref: 'main',
          tag: false,
          status: 'success',
        },
      });
      await settle();
      const numbers = async (query: string) => (await list(query)).map((one: { iid: number }) => one.iid);
      assert.deepEqual(await numbers('environment=production'), [1]);
      assert.deepEqual(await numbers('environment=staging'), []);
      assert.deepEqual(await numbers('deployed_after=2000-01-01T00:00:00Z'), [1]);
      assert.deepEqual(await numbers('deployed_before=2000-01-01T00:00:00Z'), []);
      const read = await scene.api(owner, `GET ${base}/1`);
      assert.ok(read.body.first_deployed_to_production_at);
      // All filters have to match the same deployment; this is the first one to staging.
      const between = new Date().toISOString();
      const staging = await scene.server.must(`POST /projects/${project.id}/deployments`, {
        token: owner.token,
        json: { environment: 'staging', sha: merged.body.merge_commit_sha, ref: 'main', tag: false, status: 'success' },
      });
      await settle();
      assert.deepEqual(await numbers(`environment=staging&deployed_after=${between}`), [1]);
      assert.deepEqual(await numbers(`environment=production&deployed_after=${between}`), []);
      assert.deepEqual(await numbers(`environment=production&deployed_before=${between}`), [1]);
      const brought = `GET /projects/${project.id}/deployments/${staging.id}/merge_requests`;
      const iids = async (query: string) =>
        (await scene.api(owner, `${brought}?${query}`)).body.map(({ iid }: { iid: number }) => iid);
      assert.deepEqual(await iids(''), [1]);
      assert.deepEqual(await iids('state=opened'), []);
      assert.deepEqual(await iids('view=simple&order_by=title&sort=asc'), [1]);
      assert.equal((await scene.api(owner, `${brought}?order_by=nonsense`)).status, 400);
      assert.equal(
        (await scene.api(owner, `GET /projects/${project.id}/deployments/999999/merge_requests`)).status,
        404,
      );
    });

    it('set assignees and milestone', async () => {
      const { git, push, developer, owner, reporter, server, project } = scene;
      const json = { title: 'Spring' };
      await server.must(`POST /projects/${project.id}/milestones`, { token: owner.token, json });
      await git.git('checkout', '-q', '-b', 'people', 'main');
      await git.commit({ 'p.txt': 'p' }, 'People');
      const open = async (...options: string[]) => {
        await push(developer, ...options.flatMap((option) => ['-o', `merge_request.${option}`]), 'people');
        await settle();
        const [made] = await list('source_branch=people');
        return [made.assignees.map(({ id }: { id: number }) => id).sort(), made.milestone?.title];
      };
      assert.deepEqual(await open('create', 'milestone=Winter'), [[developer.user.id], undefined]);
      await git.commit({ 'p.txt': 'q' }, 'More people');
      const both = [developer.user.id, reporter.user.id].sort();
      assert.deepEqual(await open(`assign=${reporter.user.username}`, 'milestone=Spring'), [both, 'Spring']);
      await git.commit({ 'p.txt': 'r' }, 'Fewer people');
      assert.deepEqual(await open(`unassign=@${developer.user.username}`), [[reporter.user.id], 'Spring']);
    });

    it('enable auto-merge for the pushed commit only', async () => {
      const { git, push, owner, base } = scene;
      await git.git('checkout', '-q', '-b', 'by-itself', 'main');
      await git.commit({ 'b.txt': '1' }, 'One');
      await push(owner, 'by-itself');
      const made = await scene.open(owner, 'by-itself', { title: 'Draft: by itself' });
      await settle();
      const tip = await git.commit({ 'b.txt': '2' }, 'Two');
      await push(owner, '-o', 'merge_request.auto_merge', 'by-itself');
      await settle();
      const waiting = (await scene.api(owner, `GET ${base}/${made.iid}`)).body;
      assert.deepEqual([waiting.sha, waiting.merge_when_pipeline_succeeds, waiting.state], [tip, true, 'opened']);
      await scene.api(owner, `PUT ${base}/${made.iid}`, { json: { title: 'By itself' } });
      await settle();
      const merged = (await scene.api(owner, `GET ${base}/${made.iid}`)).body;
      assert.deepEqual([merged.state, merged.sha, merged.merge_user.id], ['merged', tip, owner.user.id]);
    });

    /** Pushes as a user and returns the output of git; the push must succeed. */
    const shown = async (person: Person, path: string, ...args: string[]) => {
      const url = withCredentials(scene.server.url, path, person.user.username, person.token);
      const { code, stderr } = await scene.git.run('push', url, ...args);
      assert.equal(code, 0, stderr);
      return stderr;
    };
    const home = () => `${scene.owner.user.username}/${scene.project.path}`;

    it('report failures without rejecting the push', async () => {
      const { git, developer, owner, outsider, server, project } = scene;
      await git.git('checkout', '-q', '-b', 'refused', 'main');
      const tip = await git.commit({ 'r.txt': '1' }, 'Refused');
      const push = (...args: string[]) => shown(developer, home(), ...args);
      const text = await push('-o', 'merge_request.title=No', 'refused');
      assert.match(text, /remote: WARNINGS:/);
      assert.match(
        text,
        /remote: Error encountered with push options 'merge_request\.title=No': A merge_request\.create push option is required to create a merge request for branch refused/,
      );
      const there = await scene.api(developer, `GET /projects/${project.id}/repository/branches/refused`);
      assert.equal(there.body.commit.id, tip);
      const again = async (...options: string[]) => {
        await git.commit({ 'r.txt': `${options}` }, 'Again');
        return push(...options.flatMap((option) => ['-o', option]), 'refused');
      };
      assert.match(
        await again('mr.create', 'mr.target=absent'),
        new RegExp(`Target branch ${home()}:absent does not exist`),
      );
      assert.match(await again('mr.create', 'mr.target_project=no/where'), /: User access was denied/);
      const foreign = await server.must('POST /projects', {
        token: outsider.token,
        json: { name: 'foreign', visibility: 'public', initialize_with_readme: true },
      });
      assert.match(
        await again('mr.create', `mr.target_project=${foreign.path_with_namespace}`),
        new RegExp(`Projects ${home()} and ${foreign.path_with_namespace} are not in the same network`),
      );
      assert.match(await again('mr.create', 'mr.target=refused'), /You can't use same project\/branch/);
      const names = Array.from({ length: 11 }, (_, n) => `refused:many-${n}`);
      assert.match(await push('-o', 'mr.create', ...names), /Too many branches pushed \(11 were pushed, limit is 10\)/);
      await git.git('fetch', '-q', `${server.url}/${home()}.git`, 'main');
      const onMain = await git.git('commit-tree', 'FETCH_HEAD^{tree}', '-p', 'FETCH_HEAD', '-m', 'On top');
      assert.doesNotMatch(await shown(owner, home(), '-o', 'mr.create', `${onMain}:refs/heads/main`), /WARNINGS/);
      const closed = { merge_requests_access_level: 'disabled' };
      await server.must(`PUT /projects/${project.id}`, { token: owner.token, json: closed });
      assert.match(await again('mr.create'), new RegExp(`Merge requests are not enabled for project ${home()}`));
      const open = { merge_requests_access_level: 'enabled' };
      await server.must(`PUT /projects/${project.id}`, { token: owner.token, json: open });
      await settle();
      assert.deepEqual(await list('source_branch=refused'), []);
      assert.deepEqual(await list('source_branch=many-1'), []);
    });

    it('are executed when the push ends, and leave no job behind', async () => {
      const { git, developer, server } = scene;
      await git.git('checkout', '-q', '-b', 'at-once', 'main');
      await git.commit({ 'o.txt': '1' }, 'At once');
      const text = await shown(developer, home(), '-o', 'mr.create', '-o', 'mr.title=Now', 'at-once');
      const [made] = await list('source_branch=at-once');
      assert.equal(made.title, 'Now');
      assert.match(text, /remote: View merge request for at-once:/);
      assert.ok(text.includes(made.web_url), text);
      const waiting = await server.db.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'merge-requests.push-options')
        .execute();
      assert.deepEqual(waiting, []);
    });

    it('are executed later if the server stopped before', async () => {
      const { git, developer, server, project, push } = scene;
      await git.git('checkout', '-q', '-b', 'stopped', 'main');
      const tip = await git.commit({ 's.txt': '1' }, 'Stopped');
      await push(developer, 'stopped');
      const requested = { projectId: project.id, userId: developer.user.id, branch: 'stopped', tip };
      const options = ['merge_request.create'];
      await server.db.write((trx) =>
        server.running.services.queue.enqueue(trx, 'merge-requests.push-options', { ...requested, options }),
      );
      await settle();
      assert.deepEqual(
        (await list('source_branch=stopped')).map(({ title }: { title: string }) => title),
        ['Stopped'],
      );
    });

    it("use the project's defaults for new merge requests", async () => {
      const { git, developer, owner, server, project } = scene;
      const settings = { merge_requests_template: 'What and why', remove_source_branch_after_merge: true };
      await server.must(`PUT /projects/${project.id}`, { token: owner.token, json: settings });
      await git.git('checkout', '-q', '-b', 'usual', 'main');
      await git.commit({ 'u.txt': '1' }, 'Usual');
      await shown(developer, home(), '-o', 'mr.create', 'usual');
      const [usual] = await list('source_branch=usual');
      assert.deepEqual([usual.description, usual.force_remove_source_branch], ['What and why', true]);
      const own = ['mr.create', 'mr.description=Mine', 'mr.remove_source_branch=false'];
      await shown(developer, home(), ...own.flatMap((option) => ['-o', option]), 'usual:other');
      const [other] = await list('source_branch=other');
      assert.deepEqual([other.description, other.force_remove_source_branch], ['Mine', false]);
      const json = { remove_source_branch_after_merge: false, merge_requests_template: '' };
      await server.must(`PUT /projects/${project.id}`, { token: owner.token, json });
      await shown(developer, home(), '-o', 'mr.create', 'usual:third');
      await shown(developer, home(), '-o', 'mr.create', '-o', 'mr.remove_source_branch', 'usual:fourth');
      const flags = async (branch: string) => (await list(`source_branch=${branch}`))[0].force_remove_source_branch;
      assert.deepEqual([await flags('third'), await flags('fourth')], [false, true]);
    });

    it('of a fork target the upstream project by default', async () => {
      const { git, outsider, server, project } = scene;
      const fork = await server.must(`POST /projects/${project.id}/fork`, { token: outsider.token });
      await settle();
      const push = (branch: string, ...options: string[]) =>
        shown(outsider, fork.path_with_namespace, ...options.flatMap((option) => ['-o', option]), `fork:${branch}`);
      await git.git('checkout', '-q', '-b', 'fork', 'main');
      await git.commit({ 'f.txt': '1' }, 'From a fork');
      await push('fork', 'mr.create');
      const [made] = await list('source_branch=fork');
      assert.deepEqual(
        [made.source_project_id, made.target_project_id, made.author.id],
        [fork.id, project.id, outsider.user.id],
      );
      const inFork = async (branch: string) =>
        (await scene.api(outsider, `GET /projects/${fork.id}/merge_requests?source_branch=${branch}`)).body;
      await push('inside', 'mr.create', `mr.target_project=${fork.path_with_namespace}`);
      await server.must(`PUT /projects/${fork.id}`, { token: outsider.token, json: { mr_default_target_self: true } });
      await push('kept', 'mr.create');
      await push('out', 'mr.create', `mr.target_project=${project.id}`);
      assert.deepEqual([(await inFork('inside')).length, (await inFork('kept')).length], [1, 1]);
      assert.equal((await list('source_branch=out')).length, 1);
      assert.equal((await inFork('out')).length, 0);
    });
  });
});
