import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('wiki and snippet pages', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    const home = '/root/notes';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /groups', { json: { name: 'Crew', path: 'crew', visibility: 'public' } });
      await server.must('POST /projects', {
        json: { name: 'notes', visibility: 'public', initialize_with_readme: true },
      });
    });

    const member = async (access_level: number) => {
      const user = await addUser(server);
      await server.must('POST /groups/crew/members', { json: { user_id: user.id, access_level } });
      const own = new Browser(server);
      await own.signIn(user.username, 'long enough 4 you');
      return own;
    };

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    const submit = (page: string, to: string, fields: Record<string, string>) => browser.send(page, to, fields);

    const wikiOf = (place: string) => async () => {
      const wiki = `${place}/-/wikis`;
      assert.match(await openPage(wiki), /No pages yet/);
      const page = await submit(`${wiki}/new`, wiki, {
        title: 'home',
        content: `${hostile.markdown}\n\n${hostile.element}`,
      });
      assert.equal(page, `${wiki}/home`);
      assert.match(await openPage(page), /marker3[\s\S]*marker1/);
      assert.equal((await browser.open(wiki)).headers.get('location'), page);
      const deep = await submit(`${wiki}/new`, wiki, { title: 'folder/inner', content: hostile.comment });
      assert.match(await openPage(deep), /marker4/);
      assert.match(await openPage(`${deep}?action=edit`), /marker4/);
      await submit(`${deep}?action=edit`, deep, { title: 'folder/inner', content: 'Changed since' });
      assert.match(await openPage(deep), /Changed since/);
      const history = await openPage(`${deep}/history`);
      assert.match(history, /changed page: folder\/inner[\s\S]*created page: folder\/inner/);
      const versions = [...history.matchAll(/version_id=([0-9a-f]{40})/g)].map(([, id]) => id);
      assert.equal(versions.length, 2);
      const [, first = ''] = versions;
      assert.match(await openPage(`${deep}?version_id=${first}`), /is the version of[\s\S]*marker4/);
      assert.match(await openPage(`${deep}?action=edit&version_id=${first}`), /<textarea[^>]*>[^<]*marker4/);
      assert.doesNotMatch(await openPage(`${deep}?version_id=${first}`, reader), /Restore this version/);
      assert.equal((await browser.open(`${deep}?version_id=${'0'.repeat(40)}`)).status, 404);
      const edited = `${page}?action=edit`;
      const [, newest = ''] = /name="newest" value="([0-9a-f]{40})"/.exec(await openPage(edited)) ?? [];
      assert.notEqual(newest, '');
      const title = 'home';
      assert.equal((await browser.fill(edited, page, { title, content: 'theirs', newest })).status, 303);
      const late = await browser.fill(edited, page, { title, content: 'mine', newest });
      assert.equal(late.status, 422);
      assert.match(late.text, /Someone else has changed this page[\s\S]*>mine</);
      assert.match(await openPage(page), /theirs/);
      assert.equal((await browser.open(`${wiki}/none/history`)).status, 404);
      assert.match(await openPage(`${wiki}/pages`), /folder\/inner/);
      const repeated = await browser.fill(`${wiki}/new`, wiki, { title: 'home', content: 'again' });
      assert.equal(repeated.status, 422, repeated.text);
      const refused = await reader.fill('/', deep, { title: 'folder/inner', content: 'mine' });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      assert.equal((await browser.post(deep, { action: 'remove' })).status, 422);
      await submit(deep, deep, { action: 'remove' });
      assert.equal((await browser.open(deep)).status, 404);
    };

    it('create, show, update and delete wiki pages of projects', wikiOf(home));
    it('create, show, update and delete wiki pages of groups', wikiOf('/groups/crew'));

    it('show the wiki of a group to those who may read it, and its buttons to those who may write', async () => {
      const wiki = '/groups/crew/-/wikis';
      const api = '/groups/crew';
      await server.must(`POST ${api}/wikis`, { json: { title: 'rules', content: '[[home]] and ![plan](plan.png)' } });
      const form = new FormData();
      form.append('file', new Blob(['<b>only a file</b>']), 'a b.png');
      const { link } = await server.must(`POST ${api}/wikis/attachments`, { body: form });
      const [visitor, developer] = [new Browser(server), await member(30)];
      for (const who of [visitor, reader]) {
        const page = await openPage(`${wiki}/rules`, who);
        assert.match(
          page,
          /href="\/groups\/crew\/-\/wikis\/home"[\s\S]*src="[^"]*\/groups\/crew\/-\/wikis\/plan\.png"/,
        );
        assert.doesNotMatch(page, />Edit<|>Delete<|>New page</);
        assert.match(await openPage('/crew', who), /href="\/groups\/crew\/-\/wikis"/);
        assert.equal((await who.open(`${wiki}/${link.url}`)).text, '<b>only a file</b>');
        assert.equal((await who.open(`${wiki}/uploads/none.png`)).status, 404);
      }
      assert.match((await visitor.open(`${wiki}/new`)).headers.get('location') ?? '', /^\/users\/sign_in/);
      const written = await openPage(`${wiki}/rules`, developer);
      assert.match(written, />Edit</);
      assert.doesNotMatch(written, />Delete</);
      assert.match(await openPage(`${wiki}/rules`), />Delete</);
      assert.equal((await developer.fill(`${wiki}/rules`, `${wiki}/rules`, { action: 'remove' })).status, 403);
      assert.equal((await reader.fill('/', wiki, { title: 'mine', content: 'x' })).status, 403);
      const addresses = [wiki, `${wiki}/rules`, `${wiki}/pages`, `${wiki}/rules/history`, `${wiki}/${link.url}`];
      await server.must(`PUT ${api}`, { json: { wiki_access_level: 'private' } });
      for (const address of addresses) {
        assert.equal((await reader.open(address)).status, 403, address);
        assert.notEqual((await visitor.open(address)).status, 200, address);
        assert.equal((await developer.open(address)).status, address === wiki ? 303 : 200, address);
      }
      assert.doesNotMatch(await openPage('/crew', reader), /crew\/-\/wikis"/);
      assert.match(await openPage('/crew', developer), /crew\/-\/wikis"/);
      await server.must(`PUT ${api}`, { json: { wiki_access_level: 'disabled' } });
      for (const address of addresses.slice(1)) assert.equal((await browser.open(address)).status, 404, address);
      assert.doesNotMatch(await openPage('/crew'), /crew\/-\/wikis"/);
      await server.must(`PUT ${api}`, { json: { wiki_access_level: 'enabled', visibility: 'private' } });
      for (const address of addresses) assert.equal((await reader.open(address)).status, 404, address);
    });

    for (const place of ['', home]) {
      it(`create, show, update and delete ${place === '' ? 'personal' : 'project'} snippets`, async () => {
        const list = `${place}/-/snippets`;
        assert.match(await openPage(list), /No snippet/);
        const fields = {
          title: hostile.attribute,
          description: hostile.markdown,
          file_name: 'a.txt',
          content: hostile.element,
          visibility: 'public',
        };
        const page = await submit(`${list}/new`, list, fields);
        assert.match(await openPage(page), /marker2[\s\S]*marker3[\s\S]*marker1/);
        assert.match(await openPage(list), /marker2/);
        assert.match(await openPage(`${page}/edit`), /value="a\.txt"[\s\S]*marker1/);
        await submit(`${page}/edit`, `${page}/edit`, { ...fields, file_name: 'b.md', content: hostile.comment });
        assert.match(await openPage(page), /b\.md[\s\S]*marker4/);
        const empty = await browser.fill(`${list}/new`, list, { ...fields, content: '' });
        assert.equal(empty.status, 422, empty.text);
        assertHarmless(empty.text, list);
        const refused = await reader.fill('/', `${page}/edit`, fields);
        assert.ok([403, 404].includes(refused.status), `${refused.status}`);
        assert.doesNotMatch(await openPage(page, reader), />Delete</);
        await submit(page, `${page}/remove`, {});
        assert.equal((await browser.open(page)).status, 404);
      });
    }

    it('discuss the snippets of projects, and react to them', async () => {
      const fields = { title: 'Talk', description: '', file_name: 'a.txt', content: 'a', visibility: 'public' };
      const page = await submit(`${home}/-/snippets/new`, `${home}/-/snippets`, fields);
      const api = `/projects/root%2Fnotes/snippets/${page.split('/').at(-1)}`;
      const visitor = new Browser(server);
      assert.match(await openPage(page, visitor), /No comments yet[\s\S]*Sign in<\/a> to comment/);
      const note = await reader.send(page, `${page}/notes`, { note: hostile.element });
      assert.match(note, new RegExp(`^${page}#note_\\d+$`));
      await browser.send(page, `${page}/notes`, { note: 'A thread', as: 'thread' });
      const threads = await server.must(`GET ${api}/discussions`);
      assert.deepEqual(
        threads.map(({ individual_note }: { individual_note: boolean }) => individual_note),
        [true, false],
      );
      await reader.send(page, `${page}/discussions/${threads[1].id}/reply`, { note: 'A reply' });
      for (const who of [visitor, reader, browser])
        assert.match(await openPage(page, who), /marker1[\s\S]*A thread[\s\S]*A reply/);
      const id = note.split('#note_')[1];
      assert.ok(!(await openPage(page)).includes(`${page}/notes/${id}/edit`));
      const theirs = `${page}/notes/${threads[1].notes[0].id}/edit`;
      assert.equal((await reader.fill(page, theirs, { note: 'theirs' })).status, 403);
      await reader.send(page, `${page}/notes/${id}/edit`, { note: 'Said otherwise' });
      assert.match(await openPage(page, visitor), /Said otherwise/);
      await reader.send(page, `${page}/notes/${id}/remove`, {});
      assert.doesNotMatch(await openPage(page, visitor), /Said otherwise/);
      await reader.send(page, `${page}/reactions`, { name: 'tada' });
      assert.match(await openPage(page, reader), /aria-pressed="true" aria-label="🎉 1 tada/);
      assert.doesNotMatch(await openPage(page, visitor), /\/reactions"/);
      assert.equal((await visitor.post(`${page}/notes`, { note: 'x' })).status, 303);
      await server.must('POST /projects/root%2Fnotes/archive');
      assert.doesNotMatch(await openPage(page), new RegExp(`action="${page}/notes"`));
      assert.equal((await reader.fill('/', `${page}/notes`, { note: 'x' })).status, 403);
      await server.must('POST /projects/root%2Fnotes/unarchive');
      await server.must(`PUT ${api}`, { json: { visibility: 'private' } });
      for (const path of [`${page}/notes`, `${page}/discussions/${threads[1].id}/reply`])
        assert.equal((await reader.fill('/', path, { note: 'x' })).status, 404);
      assert.equal((await visitor.open(page)).status === 200, false);
      const own = await submit('/-/snippets/new', '/-/snippets', fields);
      assert.doesNotMatch(await openPage(own), /Discussion/);
      assert.equal((await browser.fill(own, `${own}/notes`, { note: 'x' })).status, 404);
    });
  });
});
