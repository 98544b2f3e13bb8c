import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { before, it } from 'node:test';
import { actorOnBehalfOf } from '../../../../src/access/actor.ts';
import { Objects } from '../../../../src/platform/git/objects/objects.ts';
import { mergeRequest } from '../../../../src/review/merge-requests/merge/service.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../../support/merge-requests.ts';
import { subjectFor } from '../../../support/scene.ts';

/** One transaction declares the merge and one records it; each waits for the disk. */
const transactions = 2;
const statements = 60;
/** The process that reads objects, in case it has been stopped while idle. */
const processes = 1;

forEachEngine((engine) => {
  let scene: ReviewScene;

  before(async () => {
    scene = await reviewScene(engine);
    for (const name of ['first', 'second']) {
      await scene.branch(name, `${name}.txt`, `${name}\n`);
      await scene.open(scene.owner, name);
    }
    await scene.server.running.services.queue.drain();
  });

  it('merges a small merge request in two transactions and without starting a process', async (t) => {
    const { server, owner, project } = scene;
    const { services } = server.running;
    const merge = async (iid: number) => {
      const subject = await subjectFor(server, owner, project);
      const params = { id: `${project.id}`, merge_request_iid: iid };
      const { state } = await mergeRequest(services, actorOnBehalfOf(owner.user), subject, params);
      assert.equal(state, 'merged');
    };
    // The first merge fills caches.
    await merge(1);
    await services.queue.drain();
    const merging = new AsyncLocalStorage<true>();
    let [written, started] = [0, 0];
    const write = services.db.write.bind(services.db);
    t.mock.method(services.db, 'write', (...args: Parameters<typeof write>) => {
      if (merging.getStore()) written += 1;
      return write(...args);
    });
    const count = () => {
      if (merging.getStore()) started += 1;
    };
    subscribe('child_process', count);
    const asked = await server.queriesOf(() => merging.run(true, () => merge(2)));
    unsubscribe('child_process', count);
    assert.equal(written, transactions);
    assert.ok(started <= processes, `${started} processes`);
    assert.ok(asked <= statements, `${asked} statements`);
  });

  it('does not inspect the files of a large merge request individually', async (t) => {
    const { server, owner, project, git } = scene;
    const { services } = server.running;
    await git.git('checkout', '-q', '-B', 'large', 'first');
    const files = Array.from({ length: 6000 }, (_, n) => [`large/${n % 10}/${n}.txt`, `${n}\n`]);
    await git.commit(Object.fromEntries(files), 'Much');
    await scene.push(owner, 'large');
    const { iid } = await scene.open(owner, 'large');
    await services.queue.drain();
    let looked = 0;
    const { entryAt } = Objects.prototype;
    t.mock.method(Objects.prototype, 'entryAt', function (this: Objects, ...args: Parameters<typeof entryAt>) {
      looked += 1;
      return entryAt.apply(this, args);
    });
    const params = { id: `${project.id}`, merge_request_iid: iid };
    const merged = await mergeRequest(
      services,
      actorOnBehalfOf(owner.user),
      await subjectFor(server, owner, project),
      params,
    );
    assert.equal(merged.state, 'merged');
    assert.ok(looked < 100, `${looked} files`);
  });
});
