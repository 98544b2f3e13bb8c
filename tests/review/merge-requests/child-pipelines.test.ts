import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { variablesOfJob } from '../../../src/ci/variables/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

const parent = `
below: {trigger: {include: child.yml}}
alone: {script: make, rules: [{if: '$CI_MERGE_REQUEST_APPROVED || $CI_MERGE_REQUEST_LABELS == ""'}]}
workflow: {rules: [{if: $CI_MERGE_REQUEST_SOURCE_BRANCH_NAME == "asked"}, {if: $CI_COMMIT_BRANCH == "pushed"}]}
`;
const child = `
of-request: {script: make, rules: [{if: $CI_MERGE_REQUEST_IID}]}
of-branch: {script: make, rules: [{if: $CI_COMMIT_BRANCH}]}
by-event: {script: make, only: [merge_requests]}
of-branches: {script: make, only: [branches]}
touched: {script: make, rules: [{changes: [child.yml]}]}
untouched: {script: make, rules: [{changes: [README.md]}]}
`;

forEachEngine((engine) => {
  describe('child pipelines of merge request pipelines', () => {
    let scene: ReviewScene;
    let iid: number;
    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string) =>
      (await scene.api(scene.owner, `GET /projects/${scene.project.id}/${path}`)).body;
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort();

    before(async () => {
      scene = await reviewScene(engine);
      for (const branch of ['pushed', 'asked']) {
        await scene.git.git('checkout', '-q', '-b', branch, 'main');
        await scene.git.commit({ '.gitlab-ci.yml': parent, 'child.yml': child, [branch]: branch }, 'Build it');
        await scene.push(scene.developer, branch);
      }
      await settle();
      iid = (await scene.open(scene.developer, 'asked')).iid;
      await settle();
    });

    it('run for the merge request too', async () => {
      const [made, ...rest] = await get(`merge_requests/${iid}/pipelines`);
      assert.deepEqual([made.source, rest], ['merge_request_event', []]);
      assert.deepEqual(names(await get(`pipelines/${made.id}/jobs`)), []);
      const [{ downstream_pipeline: below }] = await get(`pipelines/${made.id}/bridges`);
      assert.deepEqual([below.ref, below.source], [`refs/merge-requests/${iid}/head`, 'parent_pipeline']);
      assert.deepEqual(names(await get(`pipelines/${below.id}/jobs`)), ['of-request', 'touched']);
      assert.equal((await get(`merge_requests/${iid}`)).head_pipeline.id, made.id);
    });

    it('get the variables of the merge request, without unset ones', async () => {
      const { db, running } = scene.server;
      const job = await db.read
        .selectFrom('ci_jobs')
        .selectAll()
        .where('name', '=', 'of-request')
        .executeTakeFirstOrThrow();
      const all = await variablesOfJob(running.services, db.read, job);
      const values = new Map(all.map(({ key, value }) => [key, value]));
      const of = (...keys: string[]) => keys.map((key) => values.get(`CI_MERGE_REQUEST_${key}`));
      assert.deepEqual(of('IID', 'SOURCE_BRANCH_PROTECTED', 'TARGET_BRANCH_PROTECTED'), [`${iid}`, 'false', 'true']);
      const [version] = await get(`merge_requests/${iid}/versions`);
      assert.deepEqual(of('DIFF_ID', 'DESCRIPTION_IS_TRUNCATED'), [`${version.id}`, 'false']);
      assert.deepEqual(of('LABELS', 'MILESTONE', 'ASSIGNEES', 'APPROVED'), Array(4).fill(undefined));
      const approved = async () =>
        (await variablesOfJob(running.services, db.read, job)).find(({ key }) => key === 'CI_MERGE_REQUEST_APPROVED');
      assert.equal((await scene.api(scene.owner, `POST ${scene.base}/${iid}/approve`)).status, 201);
      assert.equal((await approved())?.value, 'true');
      const json = { name: 'Two', approvals_required: 2, user_ids: [scene.owner.user.id, scene.developer.user.id] };
      const rule = await scene.api(scene.owner, `POST /projects/${scene.project.id}/approval_rules`, { json });
      assert.equal(rule.status, 201);
      assert.equal(await approved(), undefined);
      assert.deepEqual([values.get('CI_COMMIT_REF_NAME'), values.get('CI_COMMIT_BRANCH')], ['asked', undefined]);
    });

    it('are not the head pipeline of a merge request opened later', async () => {
      const made = await scene.open(scene.developer, 'pushed');
      const read = await get(`merge_requests/${made.iid}`);
      assert.equal(read.head_pipeline.source, 'push');
    });
  });
});
