import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Named {
  readonly id: number;
}

forEachEngine((engine) => {
  describe('items of groups that are no longer ancestors', () => {
    let server: TestServer;
    let top: Named;
    let elsewhere: Named;

    const group = (path: string, parent?: Named): Promise<Named> =>
      server.must('POST /groups', { json: { name: path, path, ...(parent && { parent_id: parent.id }) } });
    const label = (place: Named, name: string) =>
      server.must(`POST /groups/${place.id}/labels`, { json: { name, color: '#112233' } });
    const epic = (place: Named, more: object = {}) =>
      server.must(`POST /groups/${place.id}/epics`, { json: { title: 'epic', ...more } });
    const iteration = async (place: Named) => {
      const json = {
        title: `weekly ${Math.random()}`,
        start_date: '2026-01-05',
        duration_in_weeks: 1,
        iterations_in_advance: 1,
      };
      await server.must(`POST /groups/${place.id}/iteration_cadences`, { json });
      const [found] = await server.must(`GET /groups/${place.id}/iterations?include_ancestors=false&per_page=1`);
      return found;
    };
    const listsOf = async (place: string) => {
      const [board] = await server.must(`GET ${place}/boards`);
      return board.lists.map(({ label }: { label: { name: string } }) => label.name);
    };
    const board = async (place: string, names: readonly string[]) => {
      const { id } = await server.must(`POST ${place}/boards`, { json: { name: 'work' } });
      const usable = await server.must(`GET ${place}/labels?include_ancestor_groups=true&only_group_labels=false`);
      for (const name of names) {
        const found = usable.find((each: { name: string }) => each.name === name);
        await server.must(`POST ${place}/boards/${id}/lists`, { json: { label_id: found.id } });
      }
    };

    /** A project with issues in an epic and an iteration of each of two groups, one of them an ancestor. */
    async function scene(place: Named, above: Named, never: Named) {
      const project: Named = await server.must('POST /projects', {
        json: { name: `p${place.id}`, namespace_id: place.id },
      });
      const at = `/projects/${project.id}`;
      const [near, far] = [await epic(above), await epic(never)];
      const issue = (title: string, epic_id: number) => server.must(`POST ${at}/issues`, { json: { title, epic_id } });
      const [ofNear, ofFar] = [await issue('near', near.id), await issue('far', far.id)];
      const { id } = await iteration(above);
      await server.must(`POST ${at}/issues/${ofNear.iid}/notes`, { json: { body: `/iteration *iteration:${id}` } });
      const shown = async ({ iid }: { iid: number }) => {
        const { epic, iteration } = await server.must(`GET ${at}/issues/${iid}`);
        return { epic: epic?.id ?? null, iteration: iteration?.id ?? null };
      };
      assert.deepEqual(await shown(ofNear), { epic: near.id, iteration: id });
      return { project, at, near, far, near1: () => shown(ofNear), far1: () => shown(ofFar), above };
    }

    before(async () => {
      server = await startTestServer(engine);
      top = await group('top');
      elsewhere = await group('elsewhere');
    });

    it('are removed from a transferred project, while boards keep lists by title', async () => {
      for (const name of ['both', 'left']) await label(top, name);
      const into = await group('into');
      await label(into, 'both');
      const s = await scene(top, top, elsewhere);
      await board(s.at, ['both', 'left']);
      await server.must(`PUT ${s.at}/transfer`, { json: { namespace: into.id } });
      assert.deepEqual(await s.near1(), { epic: null, iteration: null });
      assert.deepEqual(await s.far1(), { epic: s.far.id, iteration: null });
      assert.deepEqual(await server.must(`GET /groups/${top.id}/epics/${s.near.iid}/issues`), []);
      assert.equal((await server.must(`GET /groups/${elsewhere.id}/epics/${s.far.iid}/issues`)).length, 1);
      assert.deepEqual(await listsOf(s.at), ['both', 'left']);
      const labels = await server.must(`GET ${s.at}/labels?include_ancestor_groups=true`);
      assert.deepEqual(
        labels.map(({ name, is_project_label }: Record<string, unknown>) => [name, is_project_label]),
        [
          ['both', false],
          ['left', true],
        ],
      );
    });

    it('are kept if the project is transferred within the same ancestor group', async () => {
      const inner = await group('inner', top);
      const s = await scene(top, top, elsewhere);
      const had = await s.near1();
      await server.must(`PUT ${s.at}/transfer`, { json: { namespace: inner.id } });
      assert.deepEqual(await s.near1(), had);
    });

    it('are removed from the projects, epics and boards of a transferred group', async () => {
      const old = await group('old');
      const moving = await group('moving', old);
      const deep = await group('deep', moving);
      await label(old, 'former');
      await label(moving, 'along');
      const s = await scene(deep, old, elsewhere);
      await board(s.at, ['former', 'along']);
      await board(`/groups/${deep.id}`, ['former', 'along']);
      const parent = await epic(moving);
      const children = await Promise.all([s.near, parent].map(({ id }) => epic(deep, { parent_id: id })));
      await server.must(`POST /groups/${moving.id}/transfer`, { json: { group_id: elsewhere.id } });
      await until(async () => (await s.near1()).epic === null);
      assert.deepEqual(await s.near1(), { epic: null, iteration: null });
      assert.deepEqual(await s.far1(), { epic: s.far.id, iteration: null });
      assert.deepEqual(await listsOf(s.at), ['former', 'along']);
      assert.deepEqual(await listsOf(`/groups/${deep.id}`), ['along']);
      const parents = await Promise.all(
        children.map(async ({ iid }) => (await server.must(`GET /groups/${deep.id}/epics/${iid}`)).parent_id),
      );
      assert.deepEqual(parents, [null, parent.id]);
    });

    it('are replaced on epics by labels of the same title at the new location, or by copies', async () => {
      const [old, next] = [await group('before'), await group('after')];
      const moving = await group('wandering', old);
      const deep = await group('deeper', moving);
      for (const name of ['former', 'shared', 'own']) await label(old, name);
      await label(moving, 'kept');
      const shared = await label(next, 'shared');
      const first = await epic(moving, { labels: 'former,shared,kept' });
      const second = await epic(deep, { labels: 'former,own' });
      const staying = await epic(old, { labels: 'former' });
      await server.must(`POST /groups/${moving.id}/transfer`, { json: { group_id: next.id } });
      const labelsOf = async (place: Named, { iid }: { iid: number }) => {
        const { labels } = await server.must(`GET /groups/${place.id}/epics/${iid}`);
        return [...labels].sort();
      };
      assert.deepEqual(await labelsOf(moving, first), ['former', 'kept', 'shared']);
      assert.deepEqual(await labelsOf(deep, second), ['former', 'own']);
      assert.deepEqual(await labelsOf(old, staying), ['former']);
      const carried = await server.db.read
        .selectFrom('epic_labels')
        .innerJoin('labels', 'labels.id', 'epic_labels.label_id')
        .select(['epic_id', 'title', 'labels.id', 'labels.namespace_id'])
        .where('epic_id', 'in', [first.id, second.id, staying.id])
        .orderBy('epic_id')
        .orderBy('title')
        .execute();
      assert.deepEqual(
        carried.map(({ title, namespace_id }) => [title, namespace_id]),
        [
          ['former', moving.id],
          ['kept', moving.id],
          ['shared', next.id],
          ['former', moving.id],
          ['own', moving.id],
          ['former', old.id],
        ],
      );
      assert.equal(carried[2]?.id, shared.id);
      const found = await server.must(`GET /groups/${moving.id}/epics?labels=former&include_descendant_groups=true`);
      assert.deepEqual(found.map(({ id }: Named) => id).sort(), [first.id, second.id].sort());
    });
  });
});
