import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('file editing without scripts', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    const home = '/root/desk';
    const url = '/projects/root%2Fdesk';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', { json: { name: 'desk', visibility: 'public' } });
    });

    const contentOf = async (path: string, ref: string) => {
      const url = `${server.url}/api/v4/projects/root%2Fdesk/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}`;
      const answer = await fetch(url);
      return answer.status === 200 ? answer.text() : answer.status;
    };

    /** Opens a form and submits it with its hidden fields. */
    const send = async (address: string, fields: Record<string, string>) => {
      const { text } = await browser.open(address);
      const hidden = [...text.matchAll(/<input type="hidden" name="(last_commit_id|line_ends)" value="([^"]*)">/g)];
      return browser.fill(address, address, { ...Object.fromEntries(hidden.map(([, a, b]) => [a, b])), ...fields });
    };

    const submit = async (address: string, fields: Record<string, string>) => {
      const answer = await send(address, fields);
      assert.equal(answer.status, 303, `${address}: ${answer.status} ${answer.text}`);
      return answer.headers.get('location');
    };

    it('creates the first commit of an empty project', async () => {
      assert.match((await browser.open(home)).text, /href="\/root\/desk\/-\/new\/main">New file/);
      const to = await submit(`${home}/-/new/main`, {
        file_path: 'docs/first.txt',
        content: `\r\n${hostile.element}\r\nend\r\n`,
        commit_message: 'Begin',
        branch: 'main',
      });
      assert.equal(to, `${home}/-/blob/main/docs/first.txt`);
      assert.equal(await contentOf('docs/first.txt', 'main'), `\n${hostile.element}\nend\n`);
    });

    it('is offered to users who may push', async () => {
      const { text } = await browser.open(`${home}/-/blob/main/docs/first.txt`);
      assert.match(text, /-\/edit\/main\/docs\/first\.txt">Edit<[\s\S]*-\/delete\/main\/docs\/first\.txt">Delete</);
      assert.match((await browser.open(`${home}/-/tree/main/docs`)).text, /-\/new\/main\/docs">New file</);
      const form = await browser.open(`${home}/-/edit/main/docs/first.txt`);
      assertHarmless(form.text, 'edit');
      // HTML ignores the first newline after the tag.
      assert.match(form.text, /<textarea class="code-area"[^>]*>\n\n[^\n]*\nend\n<\/textarea>/);
      const shown = await reader.open(`${home}/-/blob/main/docs/first.txt`);
      assert.doesNotMatch(shown.text, />Edit<|>Delete</);
      const sha = /-\/blob\/([0-9a-f]{40})\//.exec(text)?.[1];
      assert.doesNotMatch((await browser.open(`${home}/-/blob/${sha}/docs/first.txt`)).text, />Edit</);
      const address = `${home}/-/edit/main/docs/first.txt`;
      const refused = await reader.fill(address, address, {
        file_path: 'docs/first.txt',
        content: 'mine',
        commit_message: 'Mine',
        branch: 'main',
      });
      assert.equal(refused.status, 403, refused.text);
      assert.equal((await new Browser(server).open(address)).status, 303);
      assert.equal((await browser.post(address, { content: 'forged', branch: 'main' })).status, 422);
      assert.match(String(await contentOf('docs/first.txt', 'main')), /marker/);
    });

    it('updates and moves files, and keeps line endings', async () => {
      const edit = `${home}/-/edit/main/docs/first.txt`;
      const common = { commit_message: 'Change it', branch: 'main' };
      await submit(edit, { ...common, file_path: 'docs/first.txt', content: 'one\r\ntwo\r\n' });
      assert.equal(await contentOf('docs/first.txt', 'main'), 'one\ntwo\n');
      const moved = await submit(edit, { ...common, file_path: 'now here.txt', content: 'one\r\nthree\r\n' });
      assert.equal(moved, `${home}/-/blob/main/now%20here.txt`);
      assert.equal(await contentOf('now here.txt', 'main'), 'one\nthree\n');
      assert.equal(await contentOf('docs/first.txt', 'main'), 404);
      await server.must('POST /projects/root%2Fdesk/repository/files/dos.txt', {
        json: { branch: 'main', commit_message: 'As elsewhere', content: 'a\r\nb\r\n' },
      });
      await submit(`${home}/-/edit/main/dos.txt`, { ...common, file_path: 'dos.txt', content: 'a\r\nc\r\n' });
      assert.equal(await contentOf('dos.txt', 'main'), 'a\r\nc\r\n');
    });

    it('creates a branch and offers a merge request', async () => {
      const address = `${home}/-/edit/main/dos.txt`;
      const fields = { file_path: 'dos.txt', content: 'a\r\nd\r\n', commit_message: 'Offer it' };
      const to = (await submit(address, { ...fields, branch: 'offer/one' })) ?? '';
      assert.match(to, /-\/merge_requests\/new\?.*source_branch%5D=offer%2Fone.*target_branch%5D=main/);
      assert.match((await browser.open(to)).text, /offer\/one/);
      assert.equal(await contentOf('dos.txt', 'offer%2Fone'), 'a\r\nd\r\n');
      assert.equal(await contentOf('dos.txt', 'main'), 'a\r\nc\r\n');
      const again = await send(address, { ...fields, content: 'typed by hand', branch: 'offer/one' });
      assert.equal(again.status, 422);
      assert.match(again.text, /role="alert">[^<]+<[\s\S]*typed by hand/);
    });

    it('detects concurrent changes', async () => {
      const address = `${home}/-/edit/main/dos.txt`;
      const { text } = await browser.open(address);
      const seen = /name="last_commit_id" value="([0-9a-f]{40})"/.exec(text)?.[1] ?? '';
      await server.must('PUT /projects/root%2Fdesk/repository/files/dos.txt', {
        json: { branch: 'main', commit_message: 'First', content: 'theirs' },
      });
      for (const page of ['edit', 'delete']) {
        const late = await browser.fill(address, `${home}/-/${page}/main/dos.txt`, {
          last_commit_id: seen,
          file_path: 'dos.txt',
          content: 'mine',
          commit_message: 'Late',
          branch: 'main',
        });
        assert.equal(late.status, 422, late.text);
        assert.match(late.text, /role="alert">[^<]*changed/);
        // Resubmitting is rejected until the page is reloaded.
        assert.match(late.text, new RegExp(`name="last_commit_id" value="${seen}"`));
      }
      assert.equal(await contentOf('dos.txt', 'main'), 'theirs');
    });

    it('uploads binary files', async () => {
      const address = `${home}/-/upload/main/docs`;
      const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 1]);
      const upload = async (who: Browser, name: string, more: Record<string, string>, content: Buffer = bytes) => {
        const token = tokenIn((await who.open('/')).text);
        const form = new FormData();
        const fields = { authenticity_token: token, folder: 'docs', commit_message: 'Up', branch: 'main', ...more };
        for (const [field, value] of Object.entries(fields)) form.set(field, value);
        if (name !== '') form.set('file', new Blob([new Uint8Array(content)]), name);
        return fetch(server.url + address, {
          method: 'POST',
          body: form,
          redirect: 'manual',
          headers: { accept: 'text/html', ...(who.cookie !== undefined && { cookie: who.cookie }) },
        });
      };
      assert.match((await browser.open(`${home}/-/tree/main`)).text, /-\/upload\/main">Upload file</);
      const created = await upload(browser, 'up \u00e9.bin', {});
      assert.equal(created.status, 303, await created.text());
      assert.equal(created.headers.get('location'), `${home}/-/blob/main/docs/up%20%C3%A9.bin`);
      const url = `${server.url}/api/v4/projects/root%2Fdesk/repository/files/${encodeURIComponent('docs/up \u00e9.bin')}/raw?ref=main`;
      assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), bytes);
      const refused = async (status: number, ...given: Parameters<typeof upload>) => {
        const answer = await upload(...given);
        assert.equal(answer.status, status, await answer.text());
      };
      await refused(422, browser, 'up \u00e9.bin', {});
      await refused(422, browser, '', {});
      await refused(422, browser, 'a.bin', { authenticity_token: 'forged' });
      await refused(403, reader, 'a.bin', {});
      await refused(401, new Browser(server), 'a.bin', {});
      await refused(413, browser, 'a.bin', {}, Buffer.alloc(10_000_001));
      const broken = await browser.post(address, {}, { 'content-type': 'multipart/form-data; boundary=none' });
      assert.equal(broken.status, 400, broken.text);
    });

    it('deletes files', async () => {
      const to = await submit(`${home}/-/delete/main/dos.txt`, { commit_message: 'Gone', branch: 'main' });
      assert.equal(to, `${home}/-/tree/main`);
      assert.equal(await contentOf('dos.txt', 'main'), 404);
    });

    it('rejects files that cannot be edited in a browser', async () => {
      const files: Readonly<Record<string, Buffer>> = {
        'zero.bin': Buffer.from([0, 1, 2]),
        'latin.txt': Buffer.from('caf\xe9\n', 'latin1'),
        'old.txt': Buffer.from('a\rb\r'),
        'large.txt': Buffer.alloc(500_000, 'x'),
      };
      const actions = Object.entries(files).map(([file_path, bytes]) => ({
        action: 'create',
        file_path,
        content: bytes.toString('base64'),
        encoding: 'base64',
      }));
      await server.must('POST /projects/root%2Fdesk/repository/commits', {
        json: { branch: 'main', commit_message: 'Others', actions },
      });
      for (const path of Object.keys(files)) {
        const page = await browser.open(`${home}/-/edit/main/${path}`);
        assert.equal(page.status, 422, path);
        assert.match(page.text, /too large to edit in a browser/);
      }
      for (const path of ['edit/main/none.txt', 'edit/main/docs', 'delete/none/zero.bin', 'new/none'])
        assert.equal((await browser.open(`${home}/-/${path}`)).status, 404, path);
      const wrong: Record<string, string>[] = [
        { file_path: '../up.txt', branch: 'main' },
        { file_path: 'large.txt', branch: 'main' },
        { file_path: 'a.txt', branch: 'no..such' },
        { file_path: '', branch: 'main' },
        { file_path: 'a.txt', branch: 'main', commit_message: '' },
      ];
      for (const fields of wrong) {
        const page = await send(`${home}/-/new/main`, { content: 'kept text', commit_message: 'x', ...fields });
        assert.equal(page.status, 422, `${JSON.stringify(fields)} ${page.text}`);
        assert.match(page.text, /role="alert"[\s\S]*kept text/);
      }
    });

    it('creates and deletes branches', async () => {
      const page = `${home}/-/branches`;
      const created = await browser.fill(page, page, { branch: 'feature/tea', ref: 'main' });
      assert.equal(created.headers.get('location'), `${home}/-/tree/feature/tea`);
      const wrong = await browser.fill(page, page, { branch: 'no..such', ref: hostile.attribute });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /role="alert"[\s\S]*value="no\.\.such"[\s\S]*marker2/);
      assertHarmless(wrong.text, page);
      const listed = (await browser.open(page)).text;
      assert.match(listed, /value="feature\/tea"[\s\S]*Delete the branch/);
      assert.doesNotMatch(listed, /name="branch" value="main"/);
      assert.doesNotMatch((await reader.open(page)).text, /Delete the branch|Create branch/);
      for (const [path, fields] of [
        [page, { branch: 'mine', ref: 'main' }],
        [`${page}/remove`, { branch: 'feature/tea' }],
      ] as const) {
        const refused = await reader.fill('/-/user_settings/profile', path, fields);
        assert.ok([403, 404].includes(refused.status), `${path} ${refused.status}`);
      }
      assert.equal(
        (await browser.fill(page, `${page}/remove`, { branch: 'feature/tea' })).headers.get('location'),
        page,
      );
      assert.doesNotMatch((await browser.open(page)).text, /feature\/tea/);
    });

    it('creates and deletes tags', async () => {
      const page = `${home}/-/tags`;
      const created = await browser.fill(page, page, { tag_name: 'v1/tea', ref: 'main', message: hostile.element });
      assert.equal(created.headers.get('location'), `${page}/v1/tea`);
      const shown = (await browser.open(`${page}/v1/tea`)).text;
      assert.match(shown, /marker1[\s\S]*Commits that are on no branch or other tag are lost[\s\S]*Delete the tag/);
      assertHarmless(shown, page);
      await browser.fill(page, page, { tag_name: 'plain', ref: 'main', message: '' });
      assert.equal((await server.must(`GET ${url}/repository/tags/plain`)).message, '');
      const wrong = await browser.fill(page, page, { tag_name: 'no..such', ref: hostile.attribute, message: 'kept' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /role="alert"[\s\S]*value="no\.\.such"[\s\S]*marker2[\s\S]*>kept</);
      assertHarmless(wrong.text, page);
      assert.doesNotMatch((await reader.open(page)).text, /Create tag/);
      assert.doesNotMatch((await reader.open(`${page}/v1/tea`)).text, /Delete the tag/);
      for (const [path, fields] of [
        [page, { tag_name: 'mine', ref: 'main' }],
        [`${page}/remove`, { tag: 'v1/tea' }],
      ] as const) {
        const refused = await reader.fill('/-/user_settings/profile', path, fields);
        assert.ok([403, 404].includes(refused.status), `${path} ${refused.status}`);
        assert.equal((await browser.post(path, fields)).status, 422);
      }
      await server.must(`POST ${url}/releases`, { json: { tag_name: 'v1/tea' } });
      assert.match((await browser.open(`${page}/v1/tea`)).text, /Its release is deleted too/);
      assert.equal((await browser.fill(page, `${page}/remove`, { tag: 'v1/tea' })).headers.get('location'), page);
      assert.match((await browser.open(page)).text, /Tag v1\/tea deleted/);
      assert.equal((await server.api(`GET ${url}/repository/tags/v1%2Ftea`)).status, 404);
    });
  });
});
