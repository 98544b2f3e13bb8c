import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { cleanRefs } from '../../../src/review/merge-requests/follow/clean-refs.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('follow-up of merge requests', () => {
    let scene: ReviewScene;
    let issues: string;

    const one = () => `${scene.base}/1`;
    const get = async (path: string, person: Person = scene.owner) => (await scene.api(person, `GET ${path}`)).body;
    const thread = async (body: string, json: Record<string, unknown> = {}) =>
      (await scene.api(scene.owner, `POST ${one()}/discussions`, { json: { body, ...json } })).body.id as string;
    const openThreads = async () =>
      ((await get(`${one()}/discussions`)) as { id: string; notes: { resolvable: boolean; resolved?: boolean }[] }[])
        .filter(({ notes: [first] }) => first?.resolvable && first.resolved === false)
        .map(({ id }) => id);

    before(async () => {
      scene = await reviewScene(engine);
      issues = `/projects/${scene.project.id}/issues`;
      await scene.branch('topic', 'a.txt', 'a');
      await scene.open(scene.developer, 'topic');
    });

    it('an issue can follow up one thread, which is resolved', async () => {
      const [first, second] = [await thread('Rename this'), await thread('And that')];
      const made = await scene.api(scene.developer, `POST ${issues}`, {
        json: { title: 'Rename', merge_request_to_resolve_discussions_of: 1, discussion_to_resolve: first },
      });
      assert.equal(made.status, 201);
      assert.match(made.body.description, /> Rename this/);
      assert.doesNotMatch(made.body.description, /And that/);
      assert.deepEqual(await openThreads(), [second]);
      const { notes } = await get(`${one()}/discussions/${first}`);
      assert.deepEqual(
        [notes.at(-1).system, notes.at(-1).body],
        [true, `created #${made.body.iid} to continue this discussion`],
      );
    });

    it('an issue can follow up all unresolved threads', async () => {
      await thread('Third');
      const response = { title: 'All', description: 'My words', merge_request_to_resolve_discussions_of: 1 };
      const made = await scene.api(scene.developer, `POST ${issues}`, { json: response });
      assert.deepEqual([made.status, made.body.description], [201, 'My words']);
      assert.deepEqual(await openThreads(), []);
    });

    it('threads are not resolved without permission', async () => {
      const id = await thread('Still open');
      const json = { title: 'By a reporter', merge_request_to_resolve_discussions_of: 1 };
      const made = await scene.api(scene.reporter, `POST ${issues}`, { json });
      assert.equal(made.status, 201);
      assert.deepEqual(await openThreads(), [id]);
      const missing = { title: 'None', merge_request_to_resolve_discussions_of: 999 };
      assert.equal((await scene.api(scene.developer, `POST ${issues}`, { json: missing })).status, 201);
    });

    it('a file locked by another user blocks merging', async () => {
      const { db } = scene.server.running.services;
      const lock = { project_id: scene.project.id, path: 'a.txt', created_at: 1 };
      const locked = async (user_id: number, path: string) => {
        await db.write(async (trx) => {
          await trx.deleteFrom('lfs_locks').execute();
          await trx
            .insertInto('lfs_locks')
            .values({ ...lock, path, user_id })
            .execute();
        });
        return (await get(one())).detailed_merge_status;
      };
      assert.equal(await locked(scene.developer.user.id, 'a.txt'), 'mergeable', 'locked by the author');
      assert.equal(await locked(scene.owner.user.id, 'README.md'), 'mergeable', 'another file is locked');
      assert.equal(await locked(scene.owner.user.id, 'a.txt'), 'locked_lfs_files');
      assert.equal((await scene.api(scene.owner, `PUT ${one()}/merge`)).status, 405);
      await db.write((trx) => trx.deleteFrom('lfs_locks').execute());
    });

    it('a cherry-pick of the merge commit is noted on the merge request', async () => {
      await scene.branch('later', 'later.txt', 'l');
      const { iid } = await scene.open(scene.developer, 'later');
      const merged = await scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`);
      const at = `/projects/${scene.project.id}/repository`;
      const [{ parent_ids }] = (await scene.api(scene.owner, `GET ${at}/commits?ref_name=main&per_page=1`)).body;
      const old = { branch: 'old/stable', ref: parent_ids[0] };
      await scene.server.must(`POST ${at}/branches`, { token: scene.owner.token, json: old });
      const pick = (json: object) =>
        scene.api(scene.developer, `POST ${at}/commits/${merged.body.merge_commit_sha}/cherry_pick`, { json });
      assert.equal((await pick({ branch: 'old/stable', dry_run: true })).status, 200);
      const { id } = (await pick({ branch: 'old/stable' })).body;
      assert.equal((await pick({ branch: 'old/stable' })).status, 400);
      const notes = (await scene.api(scene.owner, `GET ${scene.base}/${iid}/notes`)).body as { body: string }[];
      const path = `/${scene.owner.user.username}/${scene.project.path}/-/tree/old/stable`;
      assert.deepEqual(
        notes.map(({ body }) => body).filter((body) => body.startsWith('picked')),
        [`picked the changes into the branch [\`old/stable\`](${path}) with commit ${id}`],
      );
    });

    it('refs are deleted two weeks after closing or with the merge request, and restored on reopening', async () => {
      const { services } = scene.server.running;
      const repo = services.git.repository(scene.project.id);
      const refs = (iid: number) =>
        Promise.all(['head', 'merge'].map((name) => services.git.readRef(repo, `refs/merge-requests/${iid}/${name}`)));
      const close = (state_event: string) => scene.api(scene.owner, `PUT ${one()}`, { json: { state_event } });
      const later = (days: number) => cleanRefs(services, new AbortController().signal, Date.now() + days * 86_400_000);
      await close('close');
      await later(13);
      assert.ok((await refs(1)).every((sha) => sha !== null));
      await later(15);
      assert.deepEqual(await refs(1), [null, null]);
      assert.equal((await get(`${one()}/diffs`)).length, 1);
      await close('reopen');
      assert.ok((await refs(1)).every((sha) => sha !== null));
      await later(15);
      assert.ok(
        (await refs(1)).every((sha) => sha !== null),
        'it is open',
      );
      assert.equal((await scene.api(scene.owner, `DELETE ${one()}`)).status, 204);
      await services.queue.drain();
      assert.deepEqual(await refs(1), [null, null]);
    });
  });
});
