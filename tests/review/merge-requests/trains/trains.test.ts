import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { mergeRequestVariables } from '../../../../src/ci/variables/public.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type TrainScene, trainScene } from '../../../support/merge-trains.ts';

forEachEngine((engine) => {
  describe('merge trains', () => {
    let scene: TrainScene;
    const trains = () => `/projects/${scene.project.id}/merge_trains`;
    const variablesOf = async (pipeline: number) => {
      const { services } = scene.server.running;
      const row = await scene.server.db.read
        .selectFrom('pipelines')
        .selectAll()
        .where('id', '=', pipeline)
        .executeTakeFirstOrThrow();
      return new Map(Object.entries(await mergeRequestVariables(services, services.db.read, row)));
    };

    before(async () => {
      scene = await trainScene(engine);
    });

    it('require merged results pipelines', async () => {
      const iid = await scene.request('first', 'a.txt', 'a');
      const { head_pipeline: pipeline, sha } = await scene.read(iid);
      assert.equal(pipeline.ref, `refs/merge-requests/${iid}/merge`);
      const { body: commit } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/repository/commits/${pipeline.sha}`,
      );
      const { body: main } = await scene.api(scene.owner, `GET /projects/${scene.project.id}/repository/branches/main`);
      assert.deepEqual(commit.parent_ids, [main.commit.id, sha]);
      const variables = await variablesOf(pipeline.id);
      assert.deepEqual(
        ['EVENT_TYPE', 'REF_PATH', 'SOURCE_BRANCH_SHA', 'TARGET_BRANCH_SHA'].map((name) =>
          variables.get(`CI_MERGE_REQUEST_${name}`),
        ),
        ['merged_result', pipeline.ref, sha, main.commit.id],
      );
    });

    it('merge in order, each as its pipeline tested it', async () => {
      const second = await scene.request('second', 'b.txt', 'b');
      const first = 1;
      const started = await scene.board(first);
      assert.equal(started.status, 201);
      assert.equal(started.body[0].merge_request.iid, first);
      assert.equal((await scene.board(second)).status, 201);
      const [one, two] = await scene.cars();
      assert.deepEqual([one?.iid, one?.status, two?.iid, two?.status], [first, 'fresh', second, 'fresh']);
      assert.equal(one?.pipeline?.ref, `refs/merge-requests/${first}/train`);
      const { body: behind } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/repository/commits/${two?.pipeline?.sha}`,
      );
      assert.equal(behind.parent_ids[0], one?.pipeline?.sha);
      assert.equal((await variablesOf(one?.pipeline?.id ?? 0)).get('CI_MERGE_REQUEST_EVENT_TYPE'), 'merge_train');
      assert.equal((await scene.read(first)).merge_when_pipeline_succeeds, true);
      // The second one succeeds first and waits.
      await scene.end(second, 'success');
      assert.equal((await scene.read(second)).state, 'opened');
      await scene.end(first, 'success');
      const merged = [await scene.read(first), await scene.read(second)];
      assert.deepEqual(
        merged.map(({ state, merge_commit_sha }) => [state, merge_commit_sha]),
        [
          ['merged', one?.pipeline?.sha],
          ['merged', two?.pipeline?.sha],
        ],
      );
      assert.deepEqual((await scene.history()).slice(0, 2), [
        "Merge branch 'second' into 'main'",
        "Merge branch 'first' into 'main'",
      ]);
      const { body: complete } = await scene.api(scene.owner, `GET ${trains()}?scope=complete&sort=asc`);
      assert.deepEqual(
        complete.map((car: { merge_request: { iid: number }; status: string }) => [car.merge_request.iid, car.status]),
        [
          [first, 'merged'],
          [second, 'merged'],
        ],
      );
      assert.ok(complete[0].merged_at && complete[0].duration >= 0);
      assert.ok((await scene.systemNotes(first)).includes('started a merge train'));
      assert.ok(
        (await scene.systemNotes(second)).includes('added this merge request to the merge train at position 2'),
      );
    });

    it('continue without a failed merge request', async () => {
      const [bad, good] = [await scene.request('bad', 'c.txt', 'c'), await scene.request('good', 'd.txt', 'd')];
      await scene.board(bad);
      await scene.board(good);
      const [, behind] = await scene.cars();
      await scene.end(bad, 'failed');
      const [only, ...rest] = await scene.cars();
      assert.deepEqual([only?.iid, rest], [good, []]);
      assert.notEqual(only?.pipeline?.id, behind?.pipeline?.id);
      const { body: old } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/pipelines/${behind?.pipeline?.id}`,
      );
      assert.equal(old.status, 'canceled');
      const left = await scene.read(bad);
      assert.deepEqual([left.state, left.merge_when_pipeline_succeeds], ['opened', false]);
      assert.ok(
        (await scene.systemNotes(bad)).includes(
          'removed this merge request from the merge train because the pipeline did not succeed',
        ),
      );
      const { body: todos } = await scene.api(scene.developer, 'GET /todos?action=merge_train_removed');
      assert.deepEqual(
        todos.map((todo: { target: { iid: number } }) => todo.target.iid),
        [bad],
      );
      await scene.end(good, 'success');
      assert.equal((await scene.read(good)).state, 'merged');
      // The changes of the removed merge request are not in the target.
      const { status } = await scene.api(
        scene.owner,
        `GET /projects/${scene.project.id}/repository/files/c.txt?ref=main`,
      );
      assert.equal(status, 404);
    });

    it('restart after a push to the target', async () => {
      const iid = await scene.request('late', 'e.txt', 'e');
      await scene.board(iid);
      const [before] = await scene.cars();
      await scene.git.git('checkout', '-q', 'main');
      await scene.git.git('pull', '-q', `${scene.server.url}/${scene.owner.user.username}/app.git`, 'main');
      await scene.git.commit({ 'hot.txt': 'fix' }, 'Fix at once');
      await scene.push(scene.owner, 'main');
      await scene.settle();
      const [after] = await scene.cars();
      assert.notEqual(after?.pipeline?.sha, before?.pipeline?.sha);
      await scene.end(iid, 'success');
      assert.deepEqual((await scene.history()).slice(0, 2), ["Merge branch 'late' into 'main'", 'Fix at once']);
    });

    it('are left on request, after a push, on closing and on deletion', async () => {
      const leave: Record<string, (iid: number) => Promise<unknown>> = {
        cancel: (iid) => scene.api(scene.owner, `POST ${scene.base}/${iid}/cancel_merge_when_pipeline_succeeds`),
        close: (iid) => scene.api(scene.owner, `PUT ${scene.base}/${iid}`, { json: { state_event: 'close' } }),
        draft: (iid) => scene.api(scene.owner, `PUT ${scene.base}/${iid}`, { json: { title: 'Draft: no' } }),
        retarget: async (iid) => {
          await scene.api(scene.owner, `POST /projects/${scene.project.id}/repository/branches`, {
            json: { branch: 'other', ref: 'main' },
          });
          await scene.api(scene.owner, `PUT ${scene.base}/${iid}`, { json: { target_branch: 'other' } });
        },
        push: (iid) => scene.branch('gone-push', `more-${iid}.txt`, 'more', 'gone-push'),
        remove: (iid) => scene.api(scene.owner, `DELETE ${scene.base}/${iid}`),
      };
      for (const [how, act] of Object.entries(leave)) {
        const iid = await scene.request(`gone-${how}`, `gone-${how}.txt`, how);
        await scene.board(iid);
        const [car, ...others] = await scene.cars();
        assert.deepEqual([car?.iid, others], [iid, []], how);
        await act(iid);
        await scene.settle();
        assert.deepEqual(await scene.cars(), [], how);
        const { body: old } = await scene.api(
          scene.owner,
          `GET /projects/${scene.project.id}/pipelines/${car?.pipeline?.id}`,
        );
        assert.equal(old.status, 'canceled', how);
      }
    });

    it('remove merge requests that conflict with those in front', async () => {
      const [one, two] = [
        await scene.request('ours', 'same.txt', 'ours'),
        await scene.request('theirs', 'same.txt', 'x'),
      ];
      await scene.board(one);
      await scene.board(two);
      assert.deepEqual(
        (await scene.cars()).map(({ iid }) => iid),
        [one],
      );
      const notes = await scene.systemNotes(two);
      assert.ok(notes.some((note) => note.includes('because it conflicts with what is merged before it')));
      await scene.end(one, 'success');
    });

    it('add a merge request after its own pipeline has succeeded', async () => {
      await scene.branch('waits', 'w.txt', 'w');
      const { iid } = await scene.open(scene.developer, 'waits');
      await scene.settle();
      assert.deepEqual((await scene.board(iid)).status, 400);
      assert.equal((await scene.board(iid, { auto_merge: true })).status, 202);
      assert.deepEqual(await scene.cars(), []);
      const { head_pipeline: own } = await scene.read(iid);
      await scene.server.db.write(async (trx) => {
        const pipeline = await trx
          .updateTable('pipelines')
          .set({ status: 'success' })
          .where('id', '=', own.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await scene.server.running.services.announce(trx, 'pipeline.changed', { pipeline, before: 'running' });
      });
      await scene.settle();
      assert.deepEqual(
        (await scene.cars()).map((car) => car.iid),
        [iid],
      );
      await scene.end(iid, 'success');
      assert.equal((await scene.read(iid)).state, 'merged');
    });

    it('are joined through auto-merge', async () => {
      const iid = await scene.request('auto', 'auto.txt', 'auto');
      const { status } = await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`, { json: { auto_merge: true } });
      await scene.settle();
      assert.equal(status, 200);
      assert.deepEqual(
        (await scene.cars()).map((car) => car.iid),
        [iid],
      );
      await scene.end(iid, 'success');
      assert.equal((await scene.read(iid)).state, 'merged');
    });

    it('restart after an immediate merge, unless the project allows skipping', async () => {
      const [riding, fast, faster] = [
        await scene.request('riding', 'r.txt', 'r'),
        await scene.request('fast', 'f.txt', 'f'),
        await scene.request('faster', 'g.txt', 'g'),
      ];
      await scene.board(riding);
      const pipelineOf = async () => (await scene.cars())[0]?.pipeline?.id;
      const before = await pipelineOf();
      const merge = { json: { skip_merge_train: true } };
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${fast}/merge`, merge)).status, 200);
      await scene.settle();
      const after = await pipelineOf();
      assert.notEqual(after, before);
      await scene.server.must(`PUT /projects/${scene.project.id}`, {
        token: scene.owner.token,
        json: { merge_trains_skip_train_allowed: true },
      });
      const behind = await scene.request('behind', 'h.txt', 'h');
      await scene.board(behind);
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${faster}/merge`, merge)).status, 200);
      await scene.settle();
      assert.equal(await pipelineOf(), after);
      const stored = (await scene.cars())[1]?.pipeline?.id;
      await scene.end(riding, 'success');
      assert.equal((await scene.read(riding)).state, 'merged');
      assert.equal((await scene.cars())[0]?.pipeline?.id, stored);
      await scene.end(behind, 'success');
      assert.deepEqual((await scene.history()).slice(0, 3), [
        "Merge branch 'behind' into 'main'",
        "Merge branch 'riding' into 'main'",
        "Merge branch 'faster' into 'main'",
      ]);
      const { body: passed } = await scene.api(scene.owner, `GET ${trains()}/merge_requests/${faster}`);
      assert.equal(passed.status, 'skip_merged');
    });

    it('restart after their pipeline is deleted, and cancel that of an immediate merge', async () => {
      const iid = await scene.request('removed', 'p.txt', 'p');
      await scene.board(iid);
      const [before] = await scene.cars();
      const pipelines = `/projects/${scene.project.id}/pipelines`;
      assert.equal((await scene.api(scene.owner, `DELETE ${pipelines}/${before?.pipeline?.id}`)).status, 204);
      await scene.settle();
      const [after] = await scene.cars();
      assert.ok(after?.pipeline && after.pipeline.id !== before?.pipeline?.id);
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`)).status, 200);
      await scene.settle();
      const { body: old } = await scene.api(scene.owner, `GET ${pipelines}/${after.pipeline.id}`);
      assert.equal(old.status, 'canceled');
      assert.deepEqual(await scene.cars(), []);
    });

    it('report the correct position for concurrent additions', async () => {
      const iids: number[] = [];
      for (const name of ['x1', 'x2', 'x3']) iids.push(await scene.request(name, `${name}.txt`, name));
      await Promise.all(iids.map((iid) => scene.board(iid)));
      const order = (await scene.cars()).map(({ iid }) => iid);
      const response = await Promise.all(order.map(async (iid) => (await scene.systemNotes(iid)).at(-1)));
      assert.deepEqual(response, [
        'started a merge train',
        'added this merge request to the merge train at position 2',
        'added this merge request to the merge train at position 3',
      ]);
      for (const iid of order) await scene.end(iid, 'success');
    });

    it('reject users who cannot merge, and invalid requests', async () => {
      const iid = await scene.request('refused', 'n.txt', 'n');
      const path = `POST ${trains()}/merge_requests/${iid}`;
      assert.equal((await scene.api(scene.reporter, path)).status, 403);
      assert.equal((await scene.api(scene.outsider, path)).status, 403);
      assert.equal((await scene.api(null, path)).status, 401);
      assert.equal((await scene.board(99_999)).status, 404);
      const other = await scene.board(iid, { sha: 'f'.repeat(40) });
      assert.equal(other.status, 409);
      assert.equal((await scene.api(scene.owner, `GET ${trains()}?scope=none`)).status, 400);
      assert.equal((await scene.api(scene.owner, `GET ${trains()}/merge_requests/${iid}`)).status, 404);
      const set = (json: Record<string, unknown>) =>
        scene.server.must(`PUT /projects/${scene.project.id}`, { token: scene.owner.token, json });
      await set({ merge_trains_enabled: false });
      assert.equal((await scene.board(iid)).status, 404);
      await set({ merge_trains_enabled: true });
      await scene.board(iid);
      await set({ merge_trains_enabled: false, visibility: 'private' });
      assert.equal((await scene.api(scene.outsider, `GET ${trains()}`)).status, 404);
      await scene.end(iid, 'success');
      const notes = await scene.systemNotes(iid);
      assert.ok(notes.some((note) => note.endsWith('because merge trains are disabled in this project')));
      assert.equal((await scene.read(iid)).state, 'opened');
    });
  });

  for (const merge_method of ['ff', 'rebase_merge'] as const) {
    describe(`merge trains with merge method ${merge_method}`, () => {
      it('base each merge request on the one in front', async () => {
        const scene = await trainScene(engine, { merge_method });
        const [one, two] = [await scene.request('one', '1.txt', '1'), await scene.request('two', '2.txt', '2')];
        await scene.board(one);
        await scene.board(two, { squash: true });
        await scene.end(one, 'success');
        await scene.end(two, 'success');
        const history = await scene.history();
        const expected =
          merge_method === 'ff'
            ? ['Merge two', 'Change 1.txt in one']
            : ["Merge branch 'two' into 'main'", "Merge branch 'one' into 'main'"];
        assert.deepEqual(history.slice(0, 2), expected);
        assert.deepEqual([(await scene.read(one)).state, (await scene.read(two)).state], ['merged', 'merged']);
      });
    });
  }
});
