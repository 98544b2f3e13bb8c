import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('epic boards', () => {
    let server: TestServer;
    let group: { id: number };
    let path: string;
    let guest: Person;
    let reporter: Person;
    let outsider: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'private' } });
      path = `/groups/${group.id}/epic_boards`;
      [guest, reporter, outsider] = [await addUser(server), await addUser(server), await addUser(server)];
      for (const [{ id: user_id }, access_level] of [
        [guest, 10],
        [reporter, 20],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id, access_level } });
      }
    });

    const label = (name: string, at = `/groups/${group.id}`) =>
      server.must(`POST ${at}/labels`, { json: { name, color: '#ff0000' } });
    const status = async (call: string, token: string | null, json?: object) =>
      (await server.api(call, { token, ...(json && { json }) })).status;
    const asReporter = (json?: object) => ({ token: reporter.token, ...(json && { json }) });

    it('show the epics of a group by label', async () => {
      assert.deepEqual(await server.must(`GET ${path}`), []);
      const [scope, first, second] = [await label('scope'), await label('first'), await label('second')];
      const made = await server.must(`POST ${path}`, asReporter({ name: 'Plan' }));
      const shown = { id: group.id, name: 'Top', web_url: `${server.url}/groups/top` };
      const empty = { hide_backlog_list: false, hide_closed_list: false, group: shown, labels: [], lists: [] };
      assert.deepEqual(made, { id: made.id, name: 'Plan', ...empty });
      const changes = { name: 'Plans', labels: 'scope', hide_closed_list: true };
      await server.must(`PUT ${path}/${made.id}`, asReporter(changes));
      const lists = [];
      for (const { id: label_id } of [first, second]) {
        lists.push(await server.must(`POST ${path}/${made.id}/lists`, asReporter({ label_id })));
      }
      const { name, description, description_html, text_color, color } = first;
      assert.deepEqual(lists[0], {
        id: lists[0].id,
        label: { id: first.id, name, description, description_html, text_color, color },
        position: 0,
        list_type: 'label',
      });
      const board = await server.must(`GET ${path}/${made.id}`, { token: guest.token });
      assert.deepEqual(
        [board.name, board.hide_closed_list, board.labels.map(({ id }: { id: number }) => id), board.lists],
        ['Plans', true, [scope.id], lists],
      );
      assert.deepEqual(await server.must(`GET ${path}`, { token: guest.token }), [board]);
      assert.deepEqual(await server.must(`GET ${path}/${made.id}/lists?per_page=1&page=2`), [lists[1]]);
      await server.must(`PUT ${path}/${made.id}/lists/${lists[1].id}`, asReporter({ position: 0 }));
      assert.equal((await server.must(`GET ${path}/${made.id}/lists/${lists[0].id}`)).position, 1);
      assert.equal(await status(`DELETE ${path}/${made.id}/lists/${lists[1].id}`, reporter.token), 204);
      assert.equal((await server.must(`GET ${path}/${made.id}/lists`)).length, 1);
      assert.equal(await status(`DELETE ${path}/${made.id}`, reporter.token), 204);
      assert.equal(await status(`GET ${path}/${made.id}`, reporter.token), 404);
    });

    it('are separate from issue boards', async () => {
      const epics = await server.must(`POST ${path}`, asReporter({ name: 'epics' }));
      const issues = await server.must(`POST /groups/${group.id}/boards`, asReporter({ name: 'issues' }));
      const { id: label_id } = await label('third');
      for (const [at, { id }] of [
        [path, issues],
        [`/groups/${group.id}/boards`, epics],
      ] as const) {
        assert.equal((await server.must(`GET ${at}`)).length, 1);
        assert.equal(await status(`GET ${at}/${id}`, reporter.token), 404);
        assert.equal(await status(`PUT ${at}/${id}`, reporter.token, { name: 'x' }), 404);
        assert.equal(await status(`GET ${at}/${id}/lists`, reporter.token), 404);
        assert.equal(await status(`POST ${at}/${id}/lists`, reporter.token, { label_id }), 404);
        assert.equal(await status(`DELETE ${at}/${id}`, reporter.token), 404);
      }
    });

    it('reject invalid values and callers without permission', async () => {
      const { id } = await server.must(`POST ${path}`, asReporter({ name: 'kept' }));
      const project = await server.must('POST /projects', { json: { name: 'p', namespace_id: group.id } });
      const own = await label('own', `/projects/${project.id}`);
      const lists = `${path}/${id}/lists`;
      assert.equal(await status(`POST ${path}`, reporter.token, { name: ' ' }), 400);
      assert.equal(await status(`PUT ${path}/${id}`, reporter.token, {}), 400);
      assert.equal(await status(`POST ${lists}`, reporter.token, {}), 400);
      assert.equal(await status(`POST ${lists}`, reporter.token, { label_id: own.id }), 400);
      assert.equal(await status(`POST ${lists}`, reporter.token, { label_id: 999_999 }), 400);
      for (const call of [`POST ${path}`, `PUT ${path}/${id}`, `DELETE ${path}/${id}`]) {
        assert.equal(await status(call, guest.token, { name: 'x' }), 403);
        assert.equal(await status(call, outsider.token, { name: 'x' }), 404);
        assert.equal(await status(call, null, { name: 'x' }), 401);
      }
      assert.equal(await status(`POST ${lists}`, guest.token, { label_id: own.id }), 403);
      for (const call of [`GET ${path}`, `GET ${path}/${id}`, `GET ${lists}`]) {
        assert.equal(await status(call, outsider.token), 404);
        assert.equal(await status(call, null), 401);
      }
      const stored = await server.must(`GET ${path}/${id}`);
      assert.deepEqual([stored.name, stored.lists], ['kept', []]);
    });
  });
});
