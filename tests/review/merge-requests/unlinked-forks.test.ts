import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { withCredentials } from '../../support/git-client.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addPerson, type Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('merge requests of a fork', () => {
    let scene: ReviewScene;

    const settle = () => scene.server.running.services.queue.drain();
    /** A fork with a merge request into the project, and one from the project into the fork. */
    const forkWithRequests = async (person: Person) => {
      const { server, project, git, owner } = scene;
      const fork = await server.must(`POST /projects/${project.id}/fork`, { token: person.token });
      await settle();
      const topic = person.user.username;
      await git.git('checkout', '-q', '-B', topic, 'main');
      await git.commit({ [`${topic}.txt`]: 'x\n' }, 'Topic');
      const url = withCredentials(server.url, fork.path_with_namespace, topic, person.token);
      await git.git('push', '-q', url, topic);
      const json = { source_branch: topic, target_branch: 'main', title: topic, target_project_id: project.id };
      const out = await server.must(`POST /projects/${fork.id}/merge_requests`, { token: person.token, json });
      const back = { source_branch: 'main', target_branch: topic, title: 'Back', target_project_id: fork.id };
      const into = await server.must(`POST /projects/${project.id}/merge_requests`, { token: owner.token, json: back });
      await settle();
      return { fork, out: out.iid as number, into: into.iid as number };
    };
    const read = async (iid: number) => (await scene.api(scene.owner, `GET ${scene.base}/${iid}`)).body;

    before(async () => {
      scene = await reviewScene(engine);
    });

    it('are closed in both directions when it leaves the fork network', async () => {
      const { server, outsider } = scene;
      const { fork, out, into } = await forkWithRequests(outsider);
      await scene.branch('inside', 'inside.txt', 'x', 'main');
      const inside = await scene.open(scene.developer, 'inside');
      await server.must(`DELETE /projects/${fork.id}/fork`, { token: outsider.token });
      const closed = await read(out);
      assert.deepEqual([closed.state, closed.closed_by.id], ['closed', outsider.user.id]);
      assert.equal((await server.must(`GET /projects/${fork.id}/merge_requests/${into}`)).state, 'closed');
      assert.equal((await read(inside.iid)).state, 'opened');
      const events = await server.must(`GET ${scene.base}/${out}/resource_state_events`);
      assert.deepEqual(
        events.map(({ state }: { state: string }) => state),
        ['closed'],
      );
      const json = { state_event: 'reopen' };
      assert.equal((await scene.api(scene.owner, `PUT ${scene.base}/${out}`, { json })).status, 200);
    });

    it('are closed when it is deleted', async () => {
      const { server } = scene;
      const person = await addPerson(server, 'leaver');
      const { fork, out } = await forkWithRequests(person);
      await server.must(`DELETE /projects/${fork.id}`, { token: person.token });
      assert.equal((await read(out)).state, 'opened');
      const { path_with_namespace: full_path } = await server.must(`GET /projects/${fork.id}`);
      const json = { permanently_remove: true, full_path };
      await server.must(`DELETE /projects/${fork.id}`, { token: person.token, json });
      await settle();
      const closed = await read(out);
      assert.deepEqual([closed.state, closed.source_project_id], ['closed', null]);
      assert.deepEqual([closed.closed_by.id, closed.detailed_merge_status], [person.user.id, 'not_open']);
    });
  });
});
