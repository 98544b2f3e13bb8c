import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { neighbours } from '../../src/web/planning/epics/children.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'long enough 4 you';

describe('neighbours after a move', () => {
  const ids = [1, 2, 3, 4];
  const whole = { isFirst: true, isLast: true };
  const middle = { isFirst: false, isLast: false };
  const cases = [
    ['the second up', 1, 'up', whole, { after: 1 }],
    ['the third up', 2, 'up', whole, { before: 1, after: 2 }],
    ['the first up', 0, 'up', whole, undefined],
    ['the second down', 1, 'down', whole, { before: 3, after: 4 }],
    ['the third down', 2, 'down', whole, { before: 4 }],
    ['the last down', 3, 'down', whole, undefined],
    ['the second of a later page up', 1, 'up', middle, undefined],
    ['the last but one of a page down', 2, 'down', middle, undefined],
    ['the third of a later page up', 2, 'up', middle, { before: 1, after: 2 }],
  ] as const;
  for (const [name, at, way, ends, expected] of cases)
    it(name, () => assert.deepEqual(neighbours(ids, at, way, ends), expected));
});

forEachEngine((engine) => {
  describe('epic pages', () => {
    let server: TestServer;
    let root: Browser;
    let guest: Browser;
    let stranger: Browser;
    const list = '/groups/crew/-/epics';
    const page = `${list}/1`;
    const api = '/groups/crew/epics';

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Crew', path: 'crew', visibility: 'public' } });
      await server.must('POST /groups', { json: { name: 'Dark', path: 'dark', visibility: 'private' } });
      await server.must('POST /groups/dark/epics', { json: { title: 'Nobody knows this' } });
      const project = await server.must('POST /projects', {
        json: { name: 'ship', namespace_id: group.id, visibility: 'public' },
      });
      for (const title of ['Mast', 'Sail', hostile.element, 'Anchor'])
        await server.must(`POST /projects/${project.id}/issues`, { json: { title } });
      const [member, other] = [await addUser(server), await addUser(server)];
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: member.id, access_level: 10 } });
      [guest, stranger] = [new Browser(server), new Browser(server)];
      await guest.signIn(member.username, password);
      await stranger.signIn(other.username, password);
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);
    const submit = (from: string, to: string, fields: Record<string, string>, who: Browser = root) =>
      who.send(from, to, fields);

    it('show an empty state, and create an epic', async () => {
      assert.match(await openPage(list), /No epic is open[\s\S]*create one/);
      assert.doesNotMatch(await openPage(list, guest), /epics\/new/);
      const fields = { title: hostile.attribute, description: hostile.markdown, labels: 'sea, salt' };
      const created = await submit(`${list}/new`, list, { ...fields, start_date_fixed: '2026-05-01' });
      assert.equal(created, page);
      assert.match(await openPage(page), /marker2[\s\S]*marker3[\s\S]*sea[\s\S]*from 2026-05-01/);
      const wrong = await root.fill(`${list}/new`, list, { title: '', description: hostile.comment });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /marker4/);
      const refused = await guest.fill(list, list, { title: 'Mine' });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
    });

    it('update an epic, and list by filters', async () => {
      await submit(`${page}/edit`, `${page}/edit`, {
        title: hostile.attribute,
        labels: 'salt',
        due_date_fixed: '2026-09-01',
      });
      const epic = await server.must(`GET ${api}/1`);
      assert.deepEqual(
        [epic.labels, epic.start_date, epic.due_date, epic.description],
        [['salt'], null, '2026-09-01', ''],
      );
      assert.match(await openPage(`${list}?label_name=salt`), /marker2/);
      assert.match(await openPage(`${list}?label_name=sea`), /No epic fits/);
      assert.match(await openPage(`${list}?search=marker2&state=all`), /marker2/);
      assert.doesNotMatch(await openPage(`${list}?state=closed`), /marker2 /);
      assert.equal((await root.open(`${list}?state=nonsense`)).status, 400);
    });

    it('add, reorder and remove issues', async () => {
      const address = `${server.running.services.externalUrl}/crew/ship/-/issues/3`;
      for (const target of ['ship#1', 'crew/ship#2', address])
        await submit(page, `${page}/issues`, { part: 'issues', target });
      const order = async () =>
        (await server.must(`GET ${api}/1/issues`)).map(({ iid }: { iid: number }) => iid).join(' ');
      const before = await order();
      const text = await openPage(page);
      assert.match(text, /<h2>Issues<\/h2>[\s\S]*marker1/);
      const buttons = [...text.matchAll(/action="[^"]*\/issues\/move">(.*?)<\/form>/g)].map(([, inner = '']) =>
        Object.fromEntries([...inner.matchAll(/name="(\w+)" value="(\d+)"/g)].map(([, name, value]) => [name, value])),
      );
      assert.equal(buttons.length, 4);
      await submit(page, `${page}/issues/move`, buttons[0] as Record<string, string>);
      const [first, second, third] = before.split(' ');
      assert.equal(await order(), [second, first, third].join(' '));
      const [, number = ''] = /\/issues\/remove">.*?name="number" value="(\d+)"/.exec(text) ?? [];
      await submit(page, `${page}/issues/remove`, { number });
      assert.equal((await server.must(`GET ${api}/1/issues`)).length, 2);
      for (const target of ['#1', 'nonsense', 'ship#99', 'dark/x#1', hostile.element]) {
        const wrong = await root.fill(page, `${page}/issues`, { part: 'issues', target });
        assert.equal(wrong.status, 422, target);
        assert.match(wrong.text, /<details open><summary>Add an issue/);
        assertHarmless(wrong.text, page);
      }
      assert.equal((await root.fill(page, `${page}/issues/remove`, { number: 'x' })).status, 404);
      assert.doesNotMatch(await openPage(page, stranger), /Add an issue|issues\/move/);
      const refused = await stranger.fill(page, `${page}/issues`, { part: 'issues', target: 'ship#4' });
      assert.ok([403, 404, 422].includes(refused.status), `${refused.status}`);
      assert.equal((await server.must('GET /projects/crew%2Fship/issues/4')).epic, null);
    });

    it('add child epics without revealing inaccessible ones', async () => {
      await submit(page, `${page}/epics/new`, { part: 'epics', title: hostile.comment });
      await server.must(`POST ${api}`, { json: { title: 'Below too' } });
      await submit(page, `${page}/epics`, { part: 'epics', target: '&3' });
      assert.match(await openPage(page), /<h2>Child epics<\/h2>[\s\S]*marker4[\s\S]*Below too/);
      assert.match(await openPage(`${list}/3`), /<h2>Parent epic<\/h2>[\s\S]*marker2/);
      for (const target of ['&1', '&99', 'dark&1', '#1']) {
        const wrong = await guest.fill(page, `${page}/epics`, { part: 'epics', target });
        assert.equal(wrong.status, 422, target);
        assert.doesNotMatch(wrong.text, /Nobody knows this/);
      }
      const child = await server.must(`GET ${api}/3`);
      await submit(page, `${page}/epics/remove`, { number: String(child.id) });
      assert.doesNotMatch(await openPage(page), /Below too/);
    });

    it('link related epics without revealing inaccessible ones', async () => {
      const address = `${server.running.services.externalUrl}/groups/crew/-/epics/3`;
      await submit(page, `${page}/links`, { part: 'link', link_type: 'blocks', target: '&2' });
      await submit(page, `${page}/links`, { part: 'link', link_type: 'relates_to', target: address });
      assert.match(
        await openPage(page),
        /<h2>Linked epics<\/h2><h3>Blocks<\/h3>[\s\S]*marker4[\s\S]*<h3>Relates to<\/h3>[\s\S]*Below too/,
      );
      assert.match(await openPage(`${list}/2`), /<h3>Is blocked by<\/h3>[\s\S]*marker2/);
      for (const target of ['&1', '&2', '&99', 'dark&1', '#1', hostile.element]) {
        const wrong = await guest.fill(page, `${page}/links`, { part: 'link', link_type: 'relates_to', target });
        assert.equal(wrong.status, 422, target);
        assert.match(wrong.text, /<details open><summary>Link an epic/);
        assert.doesNotMatch(wrong.text, /Nobody knows this/);
        assertHarmless(wrong.text, page);
      }
      assert.doesNotMatch(await openPage(page, stranger), /Link an epic|links\/remove/);
      const [related] = await server.must(`GET ${api}/1/related_epics`);
      const link = String(related.related_epic_link_id);
      const refused = await stranger.fill(page, `${page}/links/remove`, { link });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      await submit(page, `${page}/links/remove`, { link });
      assert.equal((await server.must(`GET ${api}/1/related_epics`)).length, 1);
    });

    it('show epic boards, and move cards', async () => {
      const boards = '/groups/crew/-/epic_boards';
      assert.match(await openPage(list), /href="\/groups\/crew\/-\/epic_boards">As a board/);
      assert.match(await openPage(boards), /No boards yet/);
      assert.doesNotMatch(await openPage(boards, guest), /Create board/);
      const board = await submit(boards, boards, { name: hostile.element.slice(0, 60) });
      const { id } = await server.must('GET /groups/crew/labels/sea');
      await submit(board, `${board}/lists`, { label_id: String(id) });
      const [stored] = await server.must('GET /groups/crew/epic_boards');
      const column = String(stored.lists[0].id);
      assert.match(await openPage(board), /marker1[\s\S]*Open[\s\S]*marker2[\s\S]*sea[\s\S]*Nothing here/);
      const fields = { place: String(stored.group.id), iid: '1', from: 'open', to: column };
      await submit(board, `${board}/move`, fields);
      assert.deepEqual((await server.must(`GET ${api}/1`)).labels.sort(), ['salt', 'sea']);
      assert.doesNotMatch(await openPage(board, guest), /<summary>Move|Delete this board|Change this board/);
      const refused = await guest.fill(board, `${board}/move`, { ...fields, from: column, to: 'closed' });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      assert.equal((await server.must(`GET ${api}/1`)).state, 'opened');
      await submit(board, `${board}/edit`, { name: 'Course', labels: 'salt', hide_closed_list: 'true' });
      const changed = await openPage(board);
      assert.match(changed, /<h1>Course<\/h1>/);
      assert.doesNotMatch(changed, /<h2>Closed<\/h2>|Below too/);
      const wrong = await root.fill(board, `${board}/edit`, { name: ' ' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /<details open><summary>Change this board/);
      await submit(board, `${board}/remove_list`, { list: column });
      await submit(board, `${board}/remove`, {});
      assert.equal((await root.open(board)).status, 404);
      assert.equal((await stranger.open('/groups/dark/-/epic_boards')).status, 404);
    });

    it('add notes and reactions, subscribe, and close', async () => {
      await submit(page, `${page}/notes`, { note: hostile.comment });
      await submit(page, `${page}/notes`, { note: 'A thread', as: 'thread' });
      const { id } = await server.must(`GET ${api}/1`);
      const threads = await server.must(`GET ${api}/${id}/discussions`);
      const thread = threads.find(({ notes }: { notes: { body: string }[] }) => notes[0]?.body === 'A thread');
      await submit(page, `${page}/discussions/${thread.id}/reply`, { note: 'An answer' });
      const note = String(thread.notes[0].id);
      await submit(page, `${page}/notes/${note}/edit`, { note: 'A changed thread' });
      assert.match(await openPage(page), /marker4[\s\S]*A changed thread[\s\S]*An answer/);
      const reaction = `${page}/notes/${note}/reactions`;
      assert.equal(await submit(page, reaction, { name: 'tada' }, guest), `${page}#note_${note}`);
      await submit(page, reaction, { name: 'tada' });
      assert.match(await openPage(page), /value="tada" aria-pressed="true" aria-label="🎉 2 tada: you and others"/);
      await submit(page, reaction, { name: 'tada' });
      assert.match(await openPage(page), /aria-label="🎉 1 tada: others"/);
      assert.equal((await root.fill(page, `${page}/notes/999999/reactions`, { name: 'tada' })).status, 404);
      await submit(page, `${page}/notes/${note}/remove`, {});
      await submit(page, `${page}/reactions`, { name: 'rocket' });
      assert.match(await openPage(page), /value="rocket" aria-pressed="true"/);
      await submit(page, `${page}/unsubscribe`, {});
      assert.match(await openPage(page), />Subscribe</);
      await submit(page, `${page}/subscribe`, {});
      await submit(page, `${page}/todo`, {});
      assert.match(await openPage('/dashboard/todos'), /epics\/1[\s\S]* crew ·/);
      await submit(page, `${page}/notes`, { note: 'Done', state_event: 'close' });
      assert.match(await openPage(page), /badge-closed/);
      await submit(page, `${page}/notes`, { note: '', state_event: 'reopen' });
      assert.equal((await root.post(`${page}/notes`, { note: 'forged' })).status, 422);
    });

    it('hide confidential epics, and delete', async () => {
      await server.must(`POST ${api}`, { json: { title: 'Secret course', confidential: true } });
      assert.doesNotMatch(await openPage(list, stranger), /Secret course/);
      assert.equal((await stranger.open(`${list}/4`)).status, 404);
      assert.equal((await new Browser(server).open('/groups/dark/-/epics')).status, 404);
      assert.match(await openPage(page, new Browser(server)), /Sign in<\/a> to comment/);
      assert.equal((await guest.fill(page, `${page}/remove`, {})).status, 403);
      assert.equal(await submit(`${list}/4`, `${list}/4/remove`, {}), list);
      assert.equal((await root.open(`${list}/4`)).status, 404);
    });
  });
});
