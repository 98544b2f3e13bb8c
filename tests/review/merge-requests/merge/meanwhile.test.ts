import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../../support/engines.ts';
import { withCredentials } from '../../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import type { Person } from '../../../support/scene.ts';

forEachEngine((engine) => {
  describe('background operations after a loss of permission', () => {
    let scene: ReviewScene;
    let place: string;

    const settle = () => scene.server.running.services.queue.drain();
    const as = (person: Person, call: string, json?: Record<string, unknown>) =>
      scene.api(person, call, json ? { json } : {});
    const tip = (projectId: number, branch: string) => {
      const { git } = scene.server.running.services;
      return git.readRef(git.repository(projectId), `refs/heads/${branch}`);
    };
    const member = (access_level: number) =>
      as(scene.owner, `PUT ${place}/members/${scene.developer.user.id}`, { access_level });

    /** Creates a merge request that is behind its target. */
    const behind = async (name: string) => {
      await scene.branch(name, `${name}.txt`, name);
      const made = await scene.open(scene.developer, name);
      await scene.branch('main', `news-${name}.txt`, name, 'main');
      await settle();
      return made;
    };

    /** Executes `meanwhile` after the rebase has been accepted and before its job runs. */
    const rebased = async (person: Person, iid: number, meanwhile: () => Promise<unknown>) => {
      await scene.server.undisturbed(async () => {
        assert.equal((await as(person, `PUT ${scene.base}/${iid}/rebase`)).status, 202);
        await meanwhile();
      });
      await settle();
      const { body } = await as(scene.owner, `GET ${scene.base}/${iid}?include_rebase_in_progress=true`);
      assert.equal(body.rebase_in_progress, false);
      return body;
    };

    before(async () => {
      scene = await reviewScene(engine);
      place = `/projects/${scene.project.id}`;
    });

    const ends = {
      'the requesting user is no longer a member': [() => member(20), () => member(30)],
      'the project is archived': [
        () => as(scene.owner, `POST ${place}/archive`),
        () => as(scene.owner, `POST ${place}/unarchive`),
      ],
      'the branch is protected': [
        () => as(scene.owner, `POST ${place}/protected_branches`, { name: 'r*', push_access_level: 40 }),
        () => as(scene.owner, `DELETE ${place}/protected_branches/r*`),
      ],
    } as const;
    for (const [index, [what, [change, undo]]] of Object.entries(ends).entries()) {
      it(`does not rebase if ${what}`, async () => {
        const { iid, sha } = await behind(`r${index}`);
        const read = await rebased(scene.developer, iid, async () => assert.ok((await change()).status < 300));
        assert.ok((await undo()).status < 300);
        assert.equal(await tip(scene.project.id, `r${index}`), sha);
        assert.match(read.merge_error, /rebase pre-receive hook failed|Rebase failed/);
      });

      it(`does not auto-merge if ${what}, or its target`, async () => {
        const name = `auto${index}`;
        const target = `r-target${index}`;
        await scene.branch(target, 'README.md', 'one\ntwo\nthree\nfour\n');
        await scene.branch(name, `${name}.txt`, name, target);
        const made = await scene.open(scene.developer, name, {
          target_branch: target,
          merge_after: new Date(Date.now() + 3_600_000).toISOString(),
        });
        await settle();
        const set = await as(scene.developer, `PUT ${scene.base}/${made.iid}/merge`, { auto_merge: true });
        assert.equal(set.body.merge_when_pipeline_succeeds, true, JSON.stringify(set.body));
        const before = await tip(scene.project.id, target);
        assert.ok((await change()).status < 300);
        const { db, running } = scene.server;
        await db.write(async (trx) => {
          await trx.updateTable('merge_requests').set({ merge_after: 1 }).where('id', '=', made.id).execute();
          await running.services.queue.enqueue(trx, 'merge-requests.auto-merge', { id: made.id });
        });
        await settle();
        assert.ok((await undo()).status < 300);
        assert.equal(await tip(scene.project.id, target), before);
        assert.equal((await as(scene.owner, `GET ${scene.base}/${made.iid}`)).body.state, 'opened');
      });
    }

    it('does not lose a push that arrived before the rebase', async () => {
      const { iid } = await behind('pushed');
      let pushed = '';
      const read = await rebased(scene.developer, iid, async () => {
        await scene.git.git('checkout', '-q', 'pushed');
        pushed = await scene.git.commit({ 'pushed.txt': 'more' }, 'More');
        await scene.push(scene.owner, 'pushed');
      });
      const { git } = scene.server.running.services;
      const commit = await git.objects(git.repository(scene.project.id)).commit(pushed);
      assert.ok(commit);
      const { body } = await as(scene.owner, `GET ${place}/repository/files/pushed.txt/raw?ref=pushed`);
      assert.equal(body, 'more');
      assert.equal(read.sha, await tip(scene.project.id, 'pushed'));
    });

    it('does not rebase the branch of a fork that no longer allows collaboration', async () => {
      const { server, outsider, project, owner, git } = scene;
      const fork = await server.must(`POST ${place}/fork`, { token: outsider.token });
      await settle();
      await git.git('checkout', '-q', '-B', 'afar', 'main~1');
      const sha = await git.commit({ 'afar.txt': 'afar' }, 'Afar');
      const url = withCredentials(server.url, fork.path_with_namespace, outsider.user.username, outsider.token);
      await git.git('push', '-q', url, 'afar');
      const json = {
        source_branch: 'afar',
        target_branch: 'main',
        title: 'Afar',
        target_project_id: project.id,
        allow_collaboration: true,
      };
      const made = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: outsider.token, json });
      await settle();
      const read = await rebased(owner, made.iid, async () => {
        const { status } = await as(outsider, `PUT ${scene.base}/${made.iid}`, { allow_collaboration: false });
        assert.equal(status, 200);
      });
      assert.match(read.merge_error, /rebase pre-receive hook failed/);
      assert.equal(await tip(fork.id, 'afar'), sha);
    });
  });
});
