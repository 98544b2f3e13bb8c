import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readRequestOptions } from '../../../src/review/merge-requests/push-options/read.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

describe('push options', () => {
  it('about merge requests are read, and no others', () => {
    assert.equal(readRequestOptions(['ci.skip', 'nonsense']), undefined);
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
      [true, 'A=B', ['x', 'y'], true, false],
    );
  });
});

forEachEngine((engine) => {
  describe('pushes that ask for merge requests', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    const list = async (query = '') => (await scene.api(scene.owner, `GET ${scene.base}?${query}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
    });

    it('open one, and change it with the next push', async () => {
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

    it('are found by what was deployed', async () => {
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
      // One deployment must have all that is asked for: this one is the first to get to staging.
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

    it('name who has it, and for when it is', async () => {
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

    it('have what they push merged by itself, not what was there before', async () => {
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
  });
});
