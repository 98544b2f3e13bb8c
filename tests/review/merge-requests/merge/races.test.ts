import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { before, describe, it, type TestContext } from 'node:test';
import { actorOnBehalfOf, type SignedInActor } from '../../../../src/access/actor.ts';
import { Role } from '../../../../src/access/roles.ts';
import type { ProjectSubject } from '../../../../src/access/subjects.ts';
import { armFault } from '../../../../src/platform/faults.ts';
import { HttpError } from '../../../../src/platform/http/errors.ts';
import { approve } from '../../../../src/review/merge-requests/approvals/service.ts';
import { mergeRequest } from '../../../../src/review/merge-requests/merge/service.ts';
import { updateRequest } from '../../../../src/review/merge-requests/store.ts';
import { inRounds } from '../../../support/at-once.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import { subjectFor } from '../../../support/scene.ts';

forEachEngine((engine) => {
  describe('merge request changes during an operation', () => {
    let scene: ReviewScene;
    let count = 0;

    const settle = () => scene.server.running.services.queue.drain();
    const get = async (path: string | number) => (await scene.api(scene.owner, `GET ${scene.base}/${path}`)).body;
    const put = (iid: number, json: Record<string, unknown>) =>
      scene.api(scene.owner, `PUT ${scene.base}/${iid}`, { json });
    const merge = (iid: number, json: Record<string, unknown> = {}) =>
      scene.api(scene.owner, `PUT ${scene.base}/${iid}/merge`, { json });
    const tip = (branch: string) => {
      const { git } = scene.server.running.services;
      return git.readRef(git.repository(scene.project.id), `refs/heads/${branch}`);
    };
    const fetched = async () => {
      const url = `${scene.server.url}/${scene.owner.user.username}/${scene.project.path}.git`;
      await scene.git.git('fetch', '-q', url, '+main:refs/remotes/o/main');
      return 'refs/remotes/o/main';
    };
    const request = async (more: Record<string, unknown> = {}) => {
      count += 1;
      await scene.branch(`race-${count}`, `race-${count}.txt`, 'x', await fetched());
      const made = await scene.open(scene.developer, `race-${count}`, more);
      await settle();
      return made;
    };
    const pushMore = async (branch: string) => {
      await scene.git.git('checkout', '-q', branch);
      const sha = await scene.git.commit({ [`${branch}-more.txt`]: `${count}` }, 'More');
      await scene.push(scene.owner, branch);
      await settle();
      return sha;
    };

    /**
     * Executes `work` before the first transaction of a call, or before the first one after a step, and returns the
     * response. The call is made without a request, so that no other transaction is mistaken for its own.
     */
    const meanwhile = async (
      t: TestContext,
      call: (caller: SignedInActor, subject: ProjectSubject) => Promise<{ state: string }>,
      work: () => Promise<unknown>,
      step?: string,
    ) => {
      const { db } = scene.server.running.services;
      const [write, within] = [db.write.bind(db), new AsyncLocalStorage<true>()];
      let due = step === undefined;
      const disarm = armFault(step ?? 'no step', () => {
        due = true;
      });
      let happened = 0;
      t.mock.method(db, 'write', async (...args: Parameters<typeof write>) => {
        if (due && within.getStore() && happened === 0) {
          happened += 1;
          await within.exit(work);
        }
        return write(...args);
      });
      const caller = actorOnBehalfOf(scene.owner.user);
      const subject = await subjectFor(scene.server, scene.owner, scene.project);
      const answer = await within.run(true, () =>
        call(caller, subject).then(
          ({ state }) => ({ status: 200, said: state }),
          (error: unknown) => {
            if (error instanceof HttpError) return { status: error.status, said: JSON.stringify(error.body) };
            throw error;
          },
        ),
      );
      disarm();
      t.mock.restoreAll();
      assert.equal(happened, 1);
      return answer;
    };
    const merging = (iid: number, params: Record<string, unknown> = {}) => {
      const { services } = scene.server.running;
      return (caller: SignedInActor, subject: ProjectSubject) =>
        mergeRequest(services, caller, subject, { merge_request_iid: iid, ...params });
    };
    const prepared = 'merge.prepared';

    before(async () => {
      scene = await reviewScene(engine);
    });

    it('does not merge a merge request that has become a draft', async (t) => {
      const [made, main] = [await request(), await tip('main')];
      const draft = () => put(made.iid, { title: 'Draft: not yet' });
      assert.equal((await meanwhile(t, merging(made.iid), draft, prepared)).status, 405);
      const read = await get(made.iid);
      assert.deepEqual([read.state, read.merge_error, await tip('main')], ['opened', null, main]);
    });

    it('does not merge after an approval was removed', async (t) => {
      const made = await request();
      const own = `${scene.base}/${made.iid}`;
      const rule = { name: 'One', approvals_required: 1 };
      assert.equal((await scene.api(scene.owner, `POST ${own}/approval_rules`, { json: rule })).status, 201);
      assert.equal((await scene.api(scene.developer, `POST ${own}/approve`)).status, 201);
      const unapprove = () => scene.api(scene.developer, `POST ${own}/unapprove`);
      assert.equal((await meanwhile(t, merging(made.iid), unapprove, prepared)).status, 405);
      assert.deepEqual([(await get(made.iid)).state, (await get(`${made.iid}/approvals`)).approved], ['opened', false]);
    });

    it('merges despite an unrelated change', async (t) => {
      const made = await request();
      const better = () => put(made.iid, { title: 'Better' });
      const answer = await meanwhile(t, merging(made.iid, { should_remove_source_branch: true }), better, prepared);
      assert.deepEqual(answer, { status: 200, said: 'merged' });
      assert.equal((await get(made.iid)).title, 'Better');
    });

    it('does not merge a push with a request for the previous head', async (t) => {
      const made = await request();
      const push = () => pushMore(made.source_branch);
      assert.equal((await meanwhile(t, merging(made.iid, { sha: made.sha }), push, prepared)).status, 409);
      assert.equal((await get(made.iid)).state, 'opened');
    });

    it('merges into the branch that the merge was started for', async (t) => {
      const made = await request();
      const { git } = scene.server.running.services;
      const move = git.updateRefs.bind(git);
      t.mock.method(git, 'updateRefs', async (...args: Parameters<typeof move>) => {
        if ((await get(made.iid)).state === 'locked') {
          assert.equal((await put(made.iid, { target_branch: 'elsewhere', state_event: 'close' })).status, 200);
        }
        return move(...args);
      });
      const { status, body } = await merge(made.iid);
      assert.deepEqual([status, body.state, body.target_branch], [200, 'merged', 'main']);
    });

    it('closes the merge request if its branch was deleted during a failed merge', async (t) => {
      const made = await request();
      const { git } = scene.server.running.services;
      const move = git.updateRefs.bind(git);
      let deleted = 0;
      t.mock.method(git, 'updateRefs', async (...args: Parameters<typeof move>) => {
        if (deleted > 0 || (await get(made.iid)).state !== 'locked') return move(...args);
        deleted += 1;
        const branch = `/projects/${scene.project.id}/repository/branches/${made.source_branch}`;
        assert.equal((await scene.api(scene.developer, `DELETE ${branch}`)).status, 204);
        throw new Error('the disk is full');
      });
      const { status } = await merge(made.iid);
      t.mock.restoreAll();
      assert.deepEqual([status, deleted], [500, 1]);
      await settle();
      const read = await get(made.iid);
      assert.deepEqual([read.state, read.closed_by?.id], ['closed', scene.developer.user.id]);
      const notes = (await get(`${made.iid}/notes`)).map(({ body }: { body: string }) => body);
      assert.ok(notes.includes(`deleted source branch \`${made.source_branch}\``), JSON.stringify(notes));
      // It can be reopened after the branch has been restored.
      await scene.push(scene.owner, made.source_branch);
      const again = await put(made.iid, { state_event: 'reopen' });
      assert.deepEqual([again.body.state, again.body.detailed_merge_status], ['opened', 'mergeable']);
    });

    it('rejects an approval of another commit than the named one', async (t) => {
      const made = await request();
      const { services } = scene.server.running;
      const approving = (caller: SignedInActor, subject: ProjectSubject) =>
        approve(services, caller, subject, { merge_request_iid: made.iid, sha: made.sha });
      assert.equal((await meanwhile(t, approving, () => pushMore(made.source_branch))).status, 409);
      assert.deepEqual((await get(`${made.iid}/approvals`)).approved_by, []);
    });

    it('does not enable auto-merge for another commit than the requested one', async (t) => {
      const made = await request({ title: 'Draft: later' });
      const answer = await meanwhile(t, merging(made.iid, { auto_merge: true }), () => pushMore(made.source_branch));
      const said = { message: `SHA does not match HEAD of source branch: ${await tip(made.source_branch)}` };
      assert.deepEqual(answer, { status: 409, said: JSON.stringify(said) });
      assert.equal((await get(made.iid)).merge_when_pipeline_succeeds, false);
    });

    it('keeps the approvals of a merged request', async () => {
      const made = await request();
      const own = `${scene.base}/${made.iid}`;
      const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      const bot = await scene.server.must(`POST /projects/${scene.project.id}/access_tokens`, {
        token: scene.owner.token,
        json: { name: 'bot', scopes: ['api'], access_level: Role.maintainer, expires_at: expires },
      });
      const reset = () => scene.server.api(`PUT ${own}/reset_approvals`, { token: bot.token });
      await scene.api(scene.developer, `POST ${own}/approve`);
      assert.equal((await reset()).status, 202);
      assert.deepEqual((await get(`${made.iid}/approvals`)).approved_by, []);
      await scene.api(scene.developer, `POST ${own}/approve`);
      await merge(made.iid);
      assert.equal((await reset()).status, 401);
      assert.equal((await get(`${made.iid}/approvals`)).approved_by.length, 1);
    });

    it('ignores the failure of a rebase after the merge', async () => {
      const made = await request();
      assert.equal((await merge(made.iid, { should_remove_source_branch: true })).status, 200);
      const { db, queue } = scene.server.running.services;
      await db.write(async (trx) => {
        await updateRequest(trx, made.id, { rebase_started_at: Date.now() });
        await queue.enqueue(trx, 'merge-requests.rebase', { id: made.id, userId: scene.owner.user.id, skipCi: false });
      });
      await settle();
      const read = await get(`${made.iid}?include_rebase_in_progress=true`);
      assert.deepEqual([read.state, read.merge_error, read.rebase_in_progress], ['merged', null, false]);
    });

    it('ends the rebase of a deleted merge request', async () => {
      const made = await request();
      await scene.api(scene.owner, `PUT ${scene.base}/${made.iid}/rebase`);
      assert.equal((await scene.api(scene.owner, `DELETE ${scene.base}/${made.iid}`)).status, 204);
      await settle();
      assert.equal((await scene.server.running.services.queue.counts()).dead, 0);
    });

    it('deletes the branch although a chained merge request cannot be retargeted', async () => {
      const made = await request();
      const name = `${made.source_branch}-above`;
      await scene.branch(name, `${name}.txt`, 'c', made.source_branch);
      const above = await scene.open(scene.developer, name, { target_branch: made.source_branch });
      await scene.open(scene.developer, name);
      assert.equal((await merge(made.iid, { should_remove_source_branch: true })).status, 200);
      await settle();
      assert.equal(await tip(made.source_branch), null);
      const read = await get(above.iid);
      assert.deepEqual([read.state, read.target_branch], ['opened', made.source_branch]);
    });

    it('keeps merge, push and branch deletion consistent', async () => {
      await inRounds(async (round) => {
        const made = await request();
        const branch = made.source_branch;
        await scene.git.git('checkout', '-q', branch);
        const more = await scene.git.commit({ [`${branch}-late.txt`]: 'late' }, 'Late');
        const other =
          round % 2 === 0
            ? scene.push(scene.owner, branch).catch(() => undefined)
            : scene.api(scene.owner, `DELETE /projects/${scene.project.id}/repository/branches/${branch}`);
        const [{ status }] = await Promise.all([merge(made.iid), other]);
        await settle();
        const read = await get(made.iid);
        assert.ok([200, 405, 422].includes(status), `${status}`);
        assert.equal(read.state === 'merged', status === 200, `${round}: ${status} ${read.state}`);
        assert.notEqual(read.state, 'locked');
        await fetched();
        const has = async (sha: string) =>
          scene.git.git('merge-base', '--is-ancestor', sha, 'refs/remotes/o/main').then(
            () => true,
            () => false,
          );
        assert.equal(await has(read.sha), read.state === 'merged');
        if (read.sha !== more) assert.equal(await has(more), false);
      });
    });
  });
});
