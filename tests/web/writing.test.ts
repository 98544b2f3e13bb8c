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
      await server.must('POST /projects', {
        json: { name: 'notes', visibility: 'public', initialize_with_readme: true },
      });
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    const submit = (page: string, to: string, fields: Record<string, string>) => browser.send(page, to, fields);

    it('create, show, update and delete wiki pages', async () => {
      const wiki = `${home}/-/wikis`;
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
  });
});
