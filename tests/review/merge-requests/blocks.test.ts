import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';

forEachEngine((engine) => {
  describe('merge request dependencies', () => {
    let scene: ReviewScene;
    const block = (iid: number, json: Record<string, unknown>, person = scene.developer) =>
      scene.api(person, `POST ${scene.base}/${iid}/blocks`, { json });
    const status = async (iid: number) =>
      (await scene.api(scene.developer, `GET ${scene.base}/${iid}`)).body.detailed_merge_status;

    before(async () => {
      scene = await reviewScene(engine);
      for (const name of ['one', 'two']) {
        await scene.branch(name, `${name}.txt`, `${name}\n`);
        await scene.open(scene.owner, name);
      }
    });

    it('can be created by users who can update the merge request', async () => {
      assert.equal((await block(2, { blocking_merge_request_iid: 1 }, scene.outsider)).status, 403);
      assert.equal((await block(2, {})).status, 400);
      assert.equal((await block(2, { blocking_merge_request_iid: 9 })).status, 404);
      assert.equal((await block(2, { blocking_merge_request_iid: 2 })).status, 400);
      const made = await block(2, { blocking_merge_request_iid: 1, blocking_project_id: `${scene.project.id}` });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { blocking_merge_request: first, blocked_merge_request: second, project_id } = made.body;
      assert.deepEqual([first.iid, second.iid, project_id], [1, 2, scene.project.id]);
      assert.equal((await block(2, { blocking_merge_request_id: first.id })).status, 409);
      assert.equal((await block(1, { blocking_merge_request_iid: 2 })).status, 400);
    });

    it('are listed on both sides and can be deleted', async () => {
      const [listed] = (await scene.api(null, `GET ${scene.base}/2/blocks`)).body;
      const [seen] = (await scene.api(null, `GET ${scene.base}/1/blockees`)).body;
      assert.equal(listed.id, seen.id);
      const one = `${scene.base}/2/blocks/${listed.id}`;
      assert.equal((await scene.api(null, `GET ${one}`)).body.id, listed.id);
      assert.equal((await scene.api(scene.outsider, `DELETE ${one}`)).status, 403);
      assert.equal((await scene.api(scene.developer, `DELETE ${scene.base}/1/blocks/${listed.id}`)).status, 404);
      assert.equal((await scene.api(scene.developer, `DELETE ${one}`)).status, 204);
      assert.deepEqual((await scene.api(null, `GET ${scene.base}/2/blocks`)).body, []);
      assert.equal(await status(2), 'mergeable');
    });

    it('prevent merging before the blocking merge request', async () => {
      assert.equal((await block(2, { blocking_merge_request_iid: 1 })).status, 201);
      assert.equal(await status(2), 'merge_request_blocked');
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/2/merge`)).status, 405);
      const waiting = await scene.api(scene.owner, `PUT ${scene.base}/2/merge`, { json: { auto_merge: true } });
      assert.equal(waiting.status, 200, JSON.stringify(waiting.body));
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/1/merge`)).status, 200);
      await scene.server.running.services.queue.drain();
      assert.equal((await scene.api(scene.owner, `GET ${scene.base}/2`)).body.state, 'merged');
    });

    it('never become mutual through concurrent requests', async () => {
      await inRounds(async (round) => {
        const opened = await Promise.all(
          [0, 1].map(async (side) => {
            const name = `round-${round}-${side}`;
            const json = { branch: name, ref: 'main' };
            const { project, owner } = scene;
            await scene.server.must(`POST /projects/${project.id}/repository/branches`, { token: owner.token, json });
            return scene.open(owner, name);
          }),
        );
        const [left, right] = opened.map(({ iid }) => iid);
        const answers = await Promise.all([
          block(left, { blocking_merge_request_iid: right }),
          block(right, { blocking_merge_request_iid: left }),
        ]);
        assert.deepEqual(statuses(answers), { 201: 1, 400: 1 });
      });
    });

    it('on unreadable merge requests are hidden', async () => {
      const secret = await reviewSecret();
      await scene.branch('three', 'three.txt', '3\n');
      const { iid } = await scene.open(scene.owner, 'three');
      assert.equal((await block(iid, { blocking_merge_request_id: secret }, scene.developer)).status, 404);
      assert.equal((await block(iid, { blocking_merge_request_id: secret }, scene.owner)).status, 201);
      assert.equal((await scene.api(scene.owner, `GET ${scene.base}/${iid}/blocks`)).body.length, 1);
      const shown = await scene.api(scene.developer, `GET ${scene.base}/${iid}/blocks`);
      assert.deepEqual([shown.body, shown.headers.get('x-total')], [[], '0']);
    });

    /** Creates a merge request in a project that only its owner can read. */
    async function reviewSecret(): Promise<number> {
      const { server, owner, git } = scene;
      const json = { name: 'secret', visibility: 'private' };
      const project = await server.must('POST /projects', { token: owner.token, json });
      const url = `${server.url.replace('://', `://x:${owner.token}@`)}/${project.path_with_namespace}.git`;
      await git.git('push', '-q', url, 'main', 'one');
      const request = { source_branch: 'one', target_branch: 'main', title: 'Secret' };
      const made = await server.must(`POST /projects/${project.id}/merge_requests`, {
        token: owner.token,
        json: request,
      });
      return made.id;
    }
  });
});
