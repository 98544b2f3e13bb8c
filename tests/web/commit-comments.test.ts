import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
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

    it('on lines are begun there, and shown below the line', async () => {
      const change = await server.must(`POST ${api}/repository/commits`, {
        json: {
          branch: 'main',
          commit_message: 'Greet twice',
          actions: [
            { action: 'update', file_path: 'greeting.txt', content: 'Good day\nGood night\n' },
            { action: 'create', file_path: 'other.txt', content: 'Other\n' },
          ],
        },
      });
      const own = `/root/code/-/commit/${change.id}`;
      const visitor = new Browser(server);
      const start = await other.page(own);
      const [, code = ''] = /<td class="num" id="([0-9a-f]{40}_2_2)">/.exec(start) ?? [];
      assert.match(start, /<template id="line-form">/);
      assert.doesNotMatch(await visitor.page(own), /<template id="line-form">/);
      const asked = `${own}?view=parallel&line=${code}`;
      const form = await other.page(asked);
      assert.match(form, /Good night[\s\S]*Comment on line 2<[\s\S]*Other/);
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '';
      const sent = Object.fromEntries(
        ['old_path', 'new_path', 'old_line', 'new_line'].map((name) => [name, hidden(name)]),
      );
      assert.deepEqual(sent, { old_path: 'greeting.txt', new_path: 'greeting.txt', old_line: '', new_line: '2' });
      const action = `${own}/comments`;
      const token = tokenIn(form);
      const first = { authenticity_token: token, note: hostile.element, ...sent };
      const answer = await other.post(action, first, { referer: `${server.url}${asked}` });
      assert.match(answer.headers.get('location') ?? '', new RegExp(`^${own}\\?view=parallel#note_\\d+$`));
      const gone = { ...sent, old_line: '1', new_line: '' };
      assert.match(await author.send(own, action, { note: 'No hello?', ...gone }), new RegExp(`^${own}#note_`));
      const threads = await server.must(`GET ${api}/repository/commits/${change.id}/discussions`);
      const { position } = threads[0].notes[0];
      assert.deepEqual(
        [position.base_sha, position.head_sha, position.new_path, position.old_line, position.new_line],
        [sha, change.id, 'greeting.txt', null, 2],
      );
      const line = { note: 'As in the older format', path: 'other.txt', line: 1, line_type: 'new' };
      await server.must(`POST ${api}/repository/commits/${change.id}/comments`, { json: line });
      const places =
        /-Hello[\s\S]*No hello\?[\s\S]*\+Good night[\s\S]*marker1[\s\S]*\+Other[\s\S]*<code>other\.txt:1<\/code>[\s\S]*As in the older format[\s\S]*<h2>Discussion/;
      for (const who of [visitor, other]) {
        const text = await who.page(own);
        assert.match(text, places);
        assert.equal(text.split('As in the older format').length, 2);
        assert.match(text, /<h2>Discussion<\/h2><p class="empty">All comments are beside/);
      }
      const nowhere = await other.fill(own, action, { note: 'x', ...sent, new_line: '99' });
      assert.equal(nowhere.status, 400);
    });

    it('on lines of the first commit have no parent to name', async () => {
      const [root] = (await server.must(`GET ${api}/repository/commits?all=true&order=topo`)).slice(-1);
      const own = `/root/code/-/commit/${root.id}`;
      const at = { old_path: 'README.md', new_path: 'README.md', old_line: '', new_line: '1' };
      await author.send(own, `${own}/comments`, { note: 'From the beginning', ...at });
      assert.match(
        await other.page(own),
        /From the beginning[\s\S]*<h2>Discussion<\/h2><p class="empty">All comments are beside/,
      );
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
