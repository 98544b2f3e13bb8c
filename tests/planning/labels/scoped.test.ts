import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('scoped labels', () => {
    let server: TestServer;
    let owner: Person;
    let kinds: { make: (labels: string) => Promise<string> }[];

    const must = (call: string, json?: object) => server.must(call, { token: owner.token, ...(json && { json }) });
    const labelsOf = async (item: string): Promise<string[]> => (await must(`GET ${item}`)).labels;
    const put = async (item: string, json: object): Promise<string[]> => (await must(`PUT ${item}`, json)).labels;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const group = await must('POST /groups', { name: 'Scoped', path: 'scoped' });
      const { id } = await must('POST /projects', { name: 'p', namespace_id: group.id, initialize_with_readme: true });
      const project = `/projects/${id}`;
      let branches = 0;
      const issue = async (labels: string) => {
        const { iid } = await must(`POST ${project}/issues`, { title: 'Issue', labels });
        return `${project}/issues/${iid}`;
      };
      const epic = async (labels: string) => {
        const { iid } = await must('POST /groups/scoped/epics', { title: 'Epic', labels });
        return `/groups/scoped/epics/${iid}`;
      };
      const request = async (labels: string) => {
        branches += 1;
        const source_branch = `b${branches}`;
        await must(`POST ${project}/repository/branches?branch=${source_branch}&ref=main`);
        const json = { title: 'Request', labels, source_branch, target_branch: 'main' };
        const { iid } = await must(`POST ${project}/merge_requests`, json);
        return `${project}/merge_requests/${iid}`;
      };
      kinds = [issue, epic, request].map((make) => ({ make }));
    });

    it('exclude each other, and the one added last remains', async () => {
      for (const { make } of kinds) {
        const item = await make('size::1,bug,size::2,team::a::x,team::b');
        assert.deepEqual(await labelsOf(item), ['bug', 'size::2', 'team::a::x', 'team::b']);
        assert.deepEqual(await put(item, { add_labels: 'size::1' }), ['bug', 'size::1', 'team::a::x', 'team::b']);
        assert.deepEqual(await put(item, { add_labels: 'team::a::y,team::c' }), [
          'bug',
          'size::1',
          'team::a::y',
          'team::c',
        ]);
        assert.deepEqual(await put(item, { labels: 'size::3,size::1' }), ['size::3']);
        assert.deepEqual(await put(item, { add_labels: 'size::3,Size::3,::x,size::,size' }), [
          '::x',
          'Size::3',
          'size',
          'size::',
          'size::3',
        ]);
      }
    });

    it('exclude each other in quick actions and the history', async () => {
      for (const { make } of kinds) {
        await make('rank::1');
        const item = await make('rank::2');
        const created = await make('rank::3');
        await must(`PUT ${item}`, { description: 'Text\n/label ~rank::3 ~rank::1' });
        assert.deepEqual(await labelsOf(item), ['rank::1']);
        await must(`PUT ${created}`, { description: 'Text\n/label ~rank::1\n/label ~rank::2' });
        assert.deepEqual(await labelsOf(created), ['rank::2']);
        const path = item.startsWith('/groups') ? `/groups/scoped/epics/${(await must(`GET ${item}`)).id}` : item;
        const events = await must(`GET ${path}/resource_label_events`);
        assert.deepEqual(
          events.map(({ action, label }: { action: string; label: { name: string } }) => `${action} ${label.name}`),
          ['add rank::2', 'add rank::1', 'remove rank::2'],
        );
      }
    });

    it('remain if what is added instead does not exist, or is renamed into their scope', async () => {
      const [issues] = kinds;
      const item = (await issues?.make('kind::a,plain')) ?? '';
      const project = item.replace(/\/issues.*/, '');
      const guest = await addPerson(server, 'guest');
      await must(`POST ${project}/members`, { user_id: guest.user.id, access_level: 10 });
      const opened = await server.must(`POST ${project}/issues`, {
        token: guest.token,
        json: { title: 'Issue', labels: 'kind::a,kind::unknown' },
      });
      assert.deepEqual(opened.labels, ['kind::a']);
      await must(`PUT ${project}/labels/plain`, { new_name: 'kind::b' });
      assert.deepEqual(await put(item, { add_labels: 'other', title: 'Changed' }), ['kind::a', 'kind::b', 'other']);
      assert.deepEqual(await put(item, { add_labels: 'kind::c' }), ['kind::c', 'other']);
    });
  });
});
