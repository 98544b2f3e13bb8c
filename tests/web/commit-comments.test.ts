import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('comments on commits', () => {
    let server: TestServer;
    let author: Browser;
    let other: Browser;
    let page = '';
    let [sha, parent] = ['', ''];
    let discussions = '';
    const api = '/projects/root%2Fcode';

    before(async () => {
      server = await startTestServer(engine);
      author = new Browser(server);
      await author.signIn('root', rootPassword);
      const user = await addUser(server);
      other = new Browser(server);
      await other.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', {
        json: { name: 'code', visibility: 'public', initialize_with_readme: true },
      });
      const commit = await server.must(`POST ${api}/repository/commits`, {
        json: {
          branch: 'main',
          commit_message: 'Greet',
          actions: [{ action: 'create', file_path: 'greeting.txt', content: 'Hello\n' }],
        },
      });
      parent = commit.parent_ids[0];
      sha = commit.id;
      page = `/root/code/-/commit/${commit.id}`;
      discussions = `${api}/repository/commits/${commit.id}/discussions`;
    });

    const numberIn = (address: string) => /#note_(\d+)$/.exec(address)?.[1] ?? '';

    it('are shown to everyone, added, replied to, changed and deleted', async () => {
      const visitor = new Browser(server);
      assert.match(await visitor.page(page), /No comments yet[\s\S]*Sign in<\/a> to comment/);
      const first = await author.send(page, `${page}/comments`, { note: `${hostile.markdown}\r\nsecond line` });
      assert.ok(first.startsWith(`${page}#note_`), first);
      const [thread] = await server.must(`GET ${discussions}`);
      const reply = await other.send(page, `${page}/discussions/${thread.id}/reply`, { note: hostile.element });
      for (const who of [visitor, author, other]) {
        const text = await who.page(page);
        assert.match(text, /marker3[\s\S]*marker1/);
        assert.doesNotMatch(text, /\/reactions"/);
        assert.equal(text.includes('>Reply<'), who !== visitor);
      }
      const id = numberIn(reply);
      assert.notEqual(id, '');
      assert.ok((await other.page(page)).includes(`action="${page}/notes/${id}/edit"`));
      assert.ok(!(await author.page(page)).includes(`action="${page}/notes/${id}/edit"`));
      await other.send(page, `${page}/notes/${id}/edit`, { note: 'On second thought', thread: thread.id });
      assert.match(await visitor.page(page), /On second thought/);
      await other.send(page, `${page}/notes/${id}/remove`, { thread: thread.id });
      assert.doesNotMatch(await visitor.page(page), /On second thought/);
      const [left] = await server.must(`GET ${discussions}`);
      assert.deepEqual(
        left.notes.map((note: { body: string }) => note.body),
        [`${hostile.markdown}\nsecond line`],
      );
    });

    it('on lines name the file and the line', async () => {
      const position = {
        position_type: 'text',
        base_sha: parent,
        start_sha: parent,
        head_sha: sha,
        new_path: 'greeting.txt',
        new_line: 1,
      };
      await server.must(`POST ${discussions}`, { json: { body: 'About this line', position } });
      assert.match(await author.page(page), /<code>greeting\.txt:1<\/code>[\s\S]*About this line/);
    });

    it('are refused when empty, forged, of others and without access', async () => {
      const [thread] = await server.must(`GET ${discussions}`);
      const id = thread.notes[0].id;
      assert.equal((await other.fill(page, `${page}/comments`, { note: ' ' })).status, 400);
      assert.equal((await other.post(`${page}/comments`, { note: 'x' })).status, 422);
      assert.equal((await new Browser(server).post(`${page}/comments`, { note: 'x' })).status, 303);
      const foreign = { note: 'theirs', thread: thread.id };
      assert.equal((await other.fill(page, `${page}/notes/${id}/edit`, foreign)).status, 403);
      assert.equal((await other.fill(page, `${page}/notes/${id}/remove`, foreign)).status, 403);
      const nowhere = { note: 'x', thread: '../../../../issues' };
      assert.equal((await author.fill(page, `${page}/notes/${id}/edit`, nowhere)).status, 404);
      const none = `/root/code/-/commit/${'0'.repeat(40)}`;
      assert.equal((await author.fill(page, `${none}/comments`, { note: 'x' })).status, 404);
      await server.must(`PUT ${api}`, { json: { repository_access_level: 'private' } });
      assert.notEqual((await new Browser(server).open(page)).status, 200);
      assert.equal((await other.fill('/', `${page}/comments`, { note: 'x' })).status, 403);
      await server.must(`PUT ${api}`, { json: { repository_access_level: 'enabled' } });
    });

    it('have pages of their own beside those of the changed files', async () => {
      for (let at = 0; at < 50; at += 1) await server.must(`POST ${discussions}`, { json: { body: `Number ${at}.` } });
      const last = await author.send(page, `${page}/comments`, { note: 'The last one' });
      assert.match(last, /\?comments=2#note_\d+$/);
      assert.match(await author.page(page), /comments=2/);
      assert.doesNotMatch(await author.page(page), /The last one/);
      for (const who of [author, new Browser(server)]) {
        const text = await who.page(`${page}?comments=2`);
        assert.match(text, /greeting\.txt[\s\S]*The last one/);
        assert.doesNotMatch(text, /Number 3\./);
      }
    });

    it('cannot be added to an archived project', async () => {
      await server.must(`POST ${api}/archive`);
      const text = await author.page(page);
      assert.doesNotMatch(text, /\/comments"/);
      assert.equal((await author.fill('/', `${page}/comments`, { note: 'x' })).status, 403);
      await server.must(`POST ${api}/unarchive`);
    });
  });
});
