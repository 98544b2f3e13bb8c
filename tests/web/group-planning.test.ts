import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('group boards and iterations', () => {
    let server: TestServer;
    let root: Browser;
    let guest: Browser;
    const home = '/groups/farm/-';
    const url = '/projects/farm%2Ffield';

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Farm', path: 'farm', visibility: 'private' } });
      await server.must('POST /projects', { json: { name: 'field', namespace_id: group.id } });
      await server.must(`POST ${url}/issues`, { json: { title: hostile.comment } });
      await server.must('POST /groups/farm/labels', { json: { name: 'sown', color: '#00ff00' } });
      const member = await addUser(server);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: member.id, access_level: 10 } });
      guest = new Browser(server);
      await guest.signIn(member.username, 'long enough 4 you');
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);
    const submit = (from: string, to: string, fields: Record<string, string>) => root.send(from, to, fields);

    it('show issues of all projects on a board, and move cards', async () => {
      const board = await submit(`${home}/boards`, `${home}/boards`, { name: hostile.element.slice(0, 60) });
      const { id } = await server.must('GET /groups/farm/labels/sown');
      await submit(board, `${board}/lists`, { label_id: String(id) });
      const [stored] = await server.must('GET /groups/farm/boards');
      const list = String(stored.lists[0].id);
      assert.match(await openPage(board), /marker4[\s\S]*field#1/);
      const issue = await server.must(`GET ${url}/issues/1`);
      const fields = { place: String(issue.project_id), iid: '1', from: 'open', to: list };
      await submit(board, `${board}/move`, fields);
      assert.deepEqual((await server.must(`GET ${url}/issues/1`)).labels, ['sown']);
      assert.doesNotMatch(await openPage(board, guest), /<summary>Move|Delete this board/);
      const refused = await guest.fill(board, `${board}/move`, { ...fields, from: list, to: 'closed' });
      assert.equal((await server.must(`GET ${url}/issues/1`)).state, 'opened', `${refused.status}`);
      await submit(board, `${board}/remove`, {});
      assert.equal((await root.open(board)).status, 404);
    });

    it('support iteration lists', async () => {
      const json = { title: 'Turns', start_date: '2026-01-05', duration_in_weeks: 2, iterations_in_advance: 1 };
      const cadence = await server.must('POST /groups/farm/iteration_cadences', { json });
      const [iteration] = await server.must('GET /groups/farm/iterations?state=opened');
      const board = await submit(`${home}/boards`, `${home}/boards`, { name: 'Turns' });
      assert.match(await openPage(board), /Add a list for the iteration/);
      await submit(board, `${board}/lists`, { iteration_id: String(iteration.id) });
      const { lists } = await server.must(`GET /groups/farm/boards/${board.split('/').at(-1)}`);
      const list = String(lists[0].id);
      const issue = await server.must(`GET ${url}/issues/1`);
      const fields = { place: String(issue.project_id), iid: '1' };
      await submit(board, `${board}/move`, { ...fields, from: 'open', to: list });
      assert.equal((await server.must(`GET ${url}/issues/1`)).iteration.id, iteration.id);
      assert.match(
        await openPage(board),
        new RegExp(`data-column="${list}"(?:(?!</section>)[\\s\\S])*card_${issue.id}`),
      );
      await submit(board, `${board}/move`, { ...fields, from: list, to: 'open' });
      assert.equal((await server.must(`GET ${url}/issues/1`)).iteration ?? null, null);
      await submit(board, `${board}/remove`, {});
      await server.must(`DELETE /groups/farm/iteration_cadences/${cadence.id}`);
    });

    it('create a cadence, and show an iteration with its issues', async () => {
      assert.match(await openPage(`${home}/iterations`), /No iteration[\s\S]*make a cadence/);
      const cadences = `${home}/cadences`;
      const fields = { start_date: '2026-01-05', duration_in_weeks: '1', iterations_in_advance: '2' };
      await submit(cadences, cadences, { title: hostile.element, ...fields });
      assert.match(await openPage(cadences), /marker1[\s\S]*1 week each/);
      const wrong = await root.fill(cadences, cadences, {
        title: hostile.attribute,
        ...fields,
        duration_in_weeks: '-1',
      });
      assert.equal(wrong.status, 422, wrong.text);
      assertHarmless(wrong.text, cadences);
      const [iteration] = await server.must('GET /groups/farm/iterations?state=opened');
      const text = await openPage(`${home}/iterations`);
      assert.match(text, new RegExp(`href="/groups/farm/-/iterations/${iteration.id}"`));
      const page = `${home}/iterations/${iteration.id}`;
      assert.match(await openPage(page), /No open issue/);
      await server.must(`POST ${url}/issues/1/notes`, { json: { body: `/iteration *iteration:${iteration.id}` } });
      assert.match(await openPage(page), /0 of 1 issue closed[\s\S]*marker4/);
      assert.match(await openPage(`${page}?state=closed`), /No closed issue/);
      assert.equal((await root.open(`${home}/iterations/999999`)).status, 404);
      assert.doesNotMatch(await openPage(cadences, guest), /Create cadence|Delete with/);
      const [cadence] = await server.must('GET /groups/farm/iteration_cadences');
      const refused = await guest.fill(cadences, `${cadences}/act`, { action: 'remove', id: String(cadence.id) });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      await submit(cadences, `${cadences}/act`, { action: 'remove', id: String(cadence.id) });
      assert.equal((await root.open(page)).status, 404);
    });

    it('respond with 404 without access to the group', async () => {
      const stranger = new Browser(server);
      await stranger.signIn((await addUser(server)).username, 'long enough 4 you');
      for (const path of ['boards', 'iterations', 'cadences', 'epics', 'epic_boards', 'iterations/1', 'epics/1'])
        assert.equal((await stranger.open(`${home}/${path}`)).status, 404, path);
    });
  });
});
