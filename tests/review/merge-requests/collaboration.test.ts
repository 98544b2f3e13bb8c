import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import type { Person } from '../../support/scene.ts';

const large = 'a large file\n';
const largeId = createHash('sha256').update(large).digest('hex');

forEachEngine((engine) => {
  describe("collaboration on a fork's branch", () => {
    let scene: ReviewScene;
    let fork: { id: number; path_with_namespace: string };
    let iid: number;

    const pushTo = (person: Person, ...refs: string[]) => {
      const url = withCredentials(scene.server.url, fork.path_with_namespace, person.user.username, person.token);
      return scene.git.git('push', '-q', url, ...refs);
    };
    const write = (person: Person, branch: string, name: string) =>
      scene.api(person, `POST /projects/${fork.id}/repository/files/${name}`, {
        json: { branch, content: 'x\n', commit_message: `Add ${name}` },
      });
    const isShared = async () => (await scene.api(scene.outsider, `GET ${scene.base}/${iid}`)).body.allow_collaboration;
    const share = (allow_collaboration: boolean) =>
      scene.api(scene.outsider, `PUT ${scene.base}/${iid}`, { json: { allow_collaboration } });

    before(async () => {
      scene = await reviewScene(engine);
      const { server, outsider, project, git } = scene;
      fork = await server.must(`POST /projects/${project.id}/fork`, { token: outsider.token });
      await server.running.services.queue.drain();
      await git.git('checkout', '-q', '-B', 'topic', 'main');
      await git.commit({ 'topic.txt': 'topic\n' }, 'Topic');
      await pushTo(outsider, 'topic', 'topic:other');
      const json = {
        source_branch: 'topic',
        target_branch: 'main',
        title: 'From afar',
        target_project_id: project.id,
        allow_collaboration: true,
      };
      const made = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: outsider.token, json });
      assert.equal(made.allow_collaboration, true);
      iid = made.iid;
    });

    it('is available to users who can merge into the target', async () => {
      const { owner, reporter, git } = scene;
      await git.commit({ 'topic.txt': 'better\n' }, 'Better');
      await assert.rejects(pushTo(reporter, 'topic'), /not allowed to push/);
      await pushTo(owner, 'topic');
      assert.equal((await write(reporter, 'topic', 'r.txt')).status, 403);
      assert.equal((await write(owner, 'topic', 'o.txt')).status, 201);
      await scene.server.running.services.queue.drain();
      const { body } = await scene.api(owner, `GET ${scene.base}/${iid}/diffs`);
      assert.deepEqual(body.map(({ new_path }: { new_path: string }) => new_path).toSorted(), ['o.txt', 'topic.txt']);
    });

    it('ends if the fork becomes private, even for its members', async () => {
      const { owner, outsider, server } = scene;
      const set = (visibility: string) =>
        server.must(`PUT /projects/${fork.id}`, { token: outsider.token, json: { visibility } });
      await set('private');
      await server.must(`POST /projects/${fork.id}/members`, {
        token: outsider.token,
        json: { user_id: owner.user.id, access_level: 20 },
      });
      assert.equal((await write(owner, 'topic', 'hidden.txt')).status, 403);
      await set('public');
      await server.api(`DELETE /projects/${fork.id}/members/${owner.user.id}`, { token: outsider.token });
      assert.equal((await write(owner, 'topic', 'shown.txt')).status, 201);
    });

    it('permits deleting files and uploading large ones', async () => {
      const { owner, reporter } = scene;
      const remove = (person: Person | null, branch: string) =>
        scene.api(person, `DELETE /projects/${fork.id}/repository/files/o.txt`, {
          json: { branch, commit_message: 'Remove' },
        });
      assert.equal((await remove(null, 'topic')).status, 403);
      assert.equal((await remove(reporter, 'topic')).status, 403);
      assert.equal((await remove(owner, 'other')).status, 403);
      assert.equal((await remove(owner, 'topic')).status, 200);
      const batch = async (person: Person) => {
        const url = withCredentials(scene.server.url, fork.path_with_namespace, person.user.username, person.token);
        const { username, password, origin, pathname } = new URL(url);
        const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
        return fetch(`${origin}${pathname}/info/lfs/objects/batch`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${basic}`,
            'content-type': 'application/vnd.git-lfs+json',
            accept: 'application/vnd.git-lfs+json',
          },
          body: JSON.stringify({ operation: 'upload', objects: [{ oid: largeId, size: large.length }] }),
        });
      };
      assert.equal((await batch(reporter)).status, 403);
      const answer = await batch(owner);
      assert.equal(answer.status, 200);
      const { objects } = (await answer.json()) as {
        objects: { actions: { upload: { href: string; header: Record<string, string> } } }[];
      };
      const upload = objects[0]?.actions.upload;
      assert.ok(upload);
      const { 'Transfer-Encoding': _, ...headers } = upload.header;
      assert.equal((await fetch(upload.href, { method: 'PUT', headers, body: large })).status, 200);
    });

    it('is limited to the source branch', async () => {
      const { owner, git } = scene;
      await git.git('checkout', '-q', '-B', 'aside', 'topic');
      for (const refs of [['aside:other'], ['aside:fresh'], ['aside:refs/tags/v1'], [':other'], [':topic']]) {
        await assert.rejects(pushTo(owner, ...refs), /not allowed to push/, refs.join());
      }
      await assert.rejects(pushTo(owner, '+aside:topic', 'aside:other'), /not allowed to push/);
      assert.equal((await write(owner, 'other', 'x.txt')).status, 403);
      const branch = { json: { branch: 'made', ref: 'topic' } };
      assert.equal((await scene.api(owner, `POST /projects/${fork.id}/repository/branches`, branch)).status, 403);
    });

    it('permits rebasing', async () => {
      const { owner, reporter } = scene;
      await scene.branch('main', 'news.txt', 'news\n', 'main');
      await scene.server.running.services.queue.drain();
      assert.equal((await scene.api(reporter, `PUT ${scene.base}/${iid}/rebase`)).status, 403);
      assert.equal((await scene.api(owner, `PUT ${scene.base}/${iid}/rebase`)).status, 202);
      await scene.server.running.services.queue.drain();
      const one = `GET ${scene.base}/${iid}?include_diverged_commits_count=true`;
      const { body } = await scene.api(owner, one);
      assert.deepEqual([body.merge_error, body.diverged_commits_count], [null, 0]);
    });

    it('ends if it is disabled, the branch is protected, or the merge request is closed', async () => {
      const { owner, outsider } = scene;
      assert.equal((await share(false)).body.allow_collaboration, false);
      assert.equal((await write(owner, 'topic', 'a.txt')).status, 403);
      assert.equal((await share(true)).body.allow_collaboration, true);
      assert.equal((await write(owner, 'topic', 'a.txt')).status, 201);
      const rules = `/projects/${fork.id}/protected_branches`;
      assert.equal((await scene.api(outsider, `POST ${rules}`, { json: { name: 'topic' } })).status, 201);
      assert.equal((await write(owner, 'topic', 'b.txt')).status, 403);
      // Users who can push to the branch may disable it, but it cannot be enabled again for a protected branch.
      const stopped = await scene.api(owner, `PUT ${scene.base}/${iid}`, { json: { allow_collaboration: false } });
      assert.deepEqual([stopped.status, stopped.body.allow_collaboration], [200, false]);
      assert.equal((await scene.api(outsider, `DELETE ${rules}/topic`)).status, 204);
      assert.equal(await isShared(), true);
      assert.equal((await scene.api(outsider, `POST ${rules}`, { json: { name: 'topic' } })).status, 201);
      assert.equal((await share(false)).body.allow_collaboration, false);
      assert.equal((await share(true)).body.allow_collaboration, false);
      assert.equal((await scene.api(outsider, `DELETE ${rules}/topic`)).status, 204);
      assert.equal((await write(owner, 'topic', 'b.txt')).status, 403);
      assert.equal((await share(true)).body.allow_collaboration, true);
      assert.equal((await write(owner, 'topic', 'b.txt')).status, 201);
      const show = (visibility: string) => scene.api(outsider, `PUT /projects/${fork.id}`, { json: { visibility } });
      const { visibility } = (await scene.api(outsider, `GET /projects/${fork.id}`)).body;
      assert.equal((await show('private')).status, 200);
      assert.equal(await isShared(), false);
      assert.equal((await write(owner, 'topic', 'c.txt')).status, 404);
      assert.equal((await show(visibility)).status, 200);
      assert.equal(await isShared(), true);
      await scene.api(outsider, `PUT ${scene.base}/${iid}`, { json: { state_event: 'close' } });
      assert.equal((await write(owner, 'topic', 'c.txt')).status, 403);
    });
  });
});
