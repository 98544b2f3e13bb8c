import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { OpenPage } from '../support/open-page.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('merge request changes page', () => {
    let server: TestServer;
    let browser: Browser;
    let project: number;
    const heads: string[] = [];
    const page = '/root/teas/-/merge_requests/1/diffs';
    const code = (teas: string) => `const teas = ${teas};\nexport default teas;\n`;

    const commit = (branch: string, files: Readonly<Record<string, string>>, start?: string) =>
      server.must(`POST /projects/${project}/repository/commits`, {
        json: {
          branch,
          commit_message: 'Change it',
          ...(start && { start_branch: start }),
          actions: Object.entries(files).map(([file_path, content]) => ({
            action: branch === 'main' ? 'create' : 'update',
            file_path,
            content,
          })),
        },
      });

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      ({ id: project } = await server.must('POST /projects', { json: { name: 'teas', visibility: 'public' } }));
      await commit('main', { 'src/teas.js': code('[1]'), 'docs/teas.md': 'one\n' });
      heads.push((await commit('more', { 'src/teas.js': code('[1, 2]'), 'docs/teas.md': 'one\ntwo\n' }, 'main')).id);
      await server.must(`POST /projects/${project}/merge_requests`, {
        json: { title: 'More', source_branch: 'more', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
    });

    const openPage = (path: string, who = browser) => who.page(path);
    const threads = () => server.must(`GET /projects/${project}/merge_requests/1/discussions`);
    const refs = async () => (await server.must(`GET /projects/${project}/merge_requests/1`)).diff_refs;
    const place = (path: string) => ({ old_path: path, new_path: path });
    const say = (fields: Record<string, string>) =>
      browser.fill(page, `${page.replace('diffs', 'discussions')}`, fields);

    it('highlights code, marks changed words and lists files', async () => {
      const text = await openPage(page);
      assert.match(
        text,
        /<span class="hljs-keyword">const<\/span> teas = \[<span class="hljs-number">1<\/span><mark>, <\/mark>/,
      );
      assert.match(
        text,
        /aria-label="Changed files"[\s\S]*docs\/[\s\S]*href="#file-1"[^>]*>teas\.md[\s\S]*href="#file-2"/,
      );
      assert.doesNotMatch(text, /name="diff_id"><option|newer version/);
    });

    it('adds comments on a file and on several lines, and counts unresolved threads', async () => {
      const at = { ...(await refs()), note: 'About all of it' };
      assert.equal((await say({ ...at, ...place('docs/teas.md') })).status, 303);
      const text = await openPage(`${page}?file=2`);
      assert.match(text, /id="file-2"[\s\S]*Comment on src\/teas\.js/);
      const [, name = ''] = /id="([0-9a-f]{40})_2_2"/.exec(text) ?? [];
      const lines = { first: `${name}_2_1:new`, last: `${name}_2_2:same`, old_line: '2', new_line: '2' };
      assert.equal((await say({ ...at, ...place('src/teas.js'), ...lines, note: 'Two lines' })).status, 303);
      const [whole, several] = (await threads()).map(({ notes: [note] }: { notes: [unknown] }) => note);
      assert.deepEqual([whole.position.position_type, whole.position.new_path], ['file', 'docs/teas.md']);
      assert.deepEqual([several.position.line_range.start.new_line, several.position.line_range.end.new_line], [1, 2]);
      const after = await openPage(page);
      assert.match(after, /2 open threads/);
      assert.match(after, /1 open<\/span> [\s\S]*1 open<\/span> /);
      assert.match(
        after,
        /id="file-1"[^>]*><header[\s\S]*?<\/header><div class="inner"><section class="thread"[\s\S]*About all of it/,
      );
    });

    it('rejects invalid line ranges', async () => {
      const before = (await threads()).length;
      const at = { ...(await refs()), ...place('src/teas.js'), note: 'No', old_line: '2', new_line: '900' };
      assert.equal((await say(at)).status, 400);
      assert.equal((await threads()).length, before);
    });

    it('applies several suggestions at once', async () => {
      const at = { ...(await refs()), ...place('src/teas.js') };
      await say({ ...at, new_line: '1', note: '```suggestion\nconst teas = [2, 1];\n```' });
      assert.doesNotMatch(await openPage(page), /id="suggestions"/);
      await say({ ...at, old_line: '2', new_line: '2', note: '```suggestion\nexport { teas };\n```' });
      const text = await openPage(page);
      const ids = [...text.matchAll(/name="suggestion" value="(\d+)" form="suggestions"/g)].map(([, id = '']) => id);
      assert.equal(ids.length, 2);
      assert.doesNotMatch(await openPage(page, new Browser(server)), /id="suggestions"|name="suggestion"/);
      const stranger = new Browser(server);
      await stranger.signIn((await addUser(server)).username, 'long enough 4 you');
      const action = page.replace('diffs', 'suggestions');
      const both = { suggestion: ids };
      assert.equal((await stranger.fill(page, action, both)).status, 403);
      const live = await OpenPage.open(server, `${page}?live=${heads[0]}`, browser.cookie);
      assert.equal((await browser.fill(page, action, both)).status, 303);
      await server.running.services.queue.drain();
      const file = await server.must(`GET /projects/${project}/repository/files/src%2Fteas.js/raw?ref=more`);
      assert.equal(file, 'const teas = [2, 1];\nexport { teas };\n');
      heads.push((await refs()).head_sha);
      await live.heard(/a newer version[\s\S]*start_sha=/);
      live.close();
    });

    it('shows any version, or the changes since one', async () => {
      const versions = await server.must(`GET /projects/${project}/merge_requests/1/versions`);
      const [newest, first] = versions;
      assert.match(await openPage(page), /Version 2, the latest[\s\S]*Version 1/);
      const old = await openPage(`${page}?diff_id=${first.id}`);
      assert.match(old, /\[<span class="hljs-number">1<\/span><mark>, /);
      assert.match(old, /2 files <span class="sum">\+2 −1<\/span>/);
      assert.match(old, new RegExp(`name="head_sha" value="${heads[0]}"`));
      const since = await openPage(`${page}?start_sha=${heads[0]}`);
      assert.match(since, /1 file[\s\S]*\{ teas \}[\s\S]*/);
      assert.doesNotMatch(since, /docs\/teas\.md/);
      for (const wrong of [`diff_id=${newest.id + 1000}`, 'diff_id=x', `start_sha=${'0'.repeat(40)}`, 'start_sha=main'])
        assert.equal((await browser.open(`${page}?${wrong}`)).status, 404, wrong);
    });

    it('adds comments between two versions, shown at their line in the latest', async () => {
      const [from = '', to = ''] = heads;
      const between = `${page}?start_sha=${from}`;
      const shown = await openPage(between);
      assert.match(shown, new RegExp(`id="line-form"[\\s\\S]*name="base_sha" value="${from}"`));
      const at = { base_sha: from, start_sha: from, head_sha: to, ...place('src/teas.js'), since: from };
      const added = await say({ ...at, new_line: '2', note: 'Said of what is there now' });
      assert.match(added.headers.get('location') ?? '', new RegExp(`diffs\\?start_sha=${from}#note_`));
      assert.equal((await say({ ...at, old_line: '1', note: 'Said of what has gone' })).status, 303);
      await server.running.services.queue.drain();
      for (const address of [between, page]) {
        const text = await openPage(address);
        assert.match(
          text,
          /<tr class="add">[^\n]*teas \}[\s\S]*?<tr class="remarks">[\s\S]*?Said of what is there now/,
          address,
        );
      }
      const where = /<tr class="del">[^\n]*?<tr class="remarks">[\s\S]*?Said of what has gone/;
      assert.match(await openPage(between), where);
      assert.match(await openPage(page), /Outdated comments[^:]*:[\s\S]*Said of what has gone/);
      const [now, gone] = (await threads()).slice(-2);
      assert.deepEqual([now.notes[0].position.base_sha, now.notes[0].position.head_sha], [(await refs()).base_sha, to]);
      assert.deepEqual([gone.notes.length, gone.notes[0].resolved, gone.notes[0].position.base_sha], [1, false, from]);
    });

    it('rejects comments between versions on lines outside of the diff', async () => {
      const [from = '', to = ''] = heads;
      const before = (await threads()).length;
      const at = { base_sha: from, start_sha: from, head_sha: to, ...place('src/teas.js'), since: from };
      assert.equal((await say({ ...at, new_line: '900', note: 'No' })).status, 400);
      assert.equal((await say({ ...at, base_sha: '0'.repeat(40), new_line: '2', note: 'No' })).status, 400);
      assert.equal((await threads()).length, before);
    });
  });
});
