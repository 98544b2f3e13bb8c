import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const picture = (last: number) => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1, last]).toString('base64');

forEachEngine((engine) => {
  describe('diff display', () => {
    let server: TestServer;
    let browser: Browser;
    let project: number;
    const heads: string[] = [];
    const home = '/root/shown';
    const page = `${home}/-/merge_requests/1/diffs`;

    const commit = async (
      branch: string,
      action: string,
      files: readonly (readonly [string, string])[],
      start = '',
    ) => {
      const actions = files.map(([file_path, content]) => ({
        action,
        file_path,
        content,
        ...(!file_path.endsWith('.js') && { encoding: 'base64' }),
      }));
      const json = { branch, commit_message: 'Change it', actions, ...(start && { start_branch: start }) };
      heads.push((await server.must(`POST /projects/${project}/repository/commits`, { json })).id);
    };

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      ({ id: project } = await server.must('POST /projects', { json: { name: 'shown', visibility: 'public' } }));
      const first = [
        ['a.js', 'one();\ntwo();\n'] as const,
        ['b.png', picture(1)] as const,
        ['c.bin', picture(3)] as const,
      ];
      await commit('main', 'create', first);
      const then = [
        ['a.js', 'if (x) {\n  one();\n}\n'] as const,
        ['b.png', picture(2)] as const,
        ['c.bin', picture(4)] as const,
      ];
      await commit('more', 'update', then, 'main');
      await server.must(`POST /projects/${project}/merge_requests`, {
        json: { title: 'More', source_branch: 'more', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
    });

    it('shows old and new images, and a note for other binary files', async () => {
      const [base, head] = heads;
      for (const address of [page, `${home}/-/commit/${head}`, `${home}/-/compare/main...more`]) {
        const text = await browser.page(address);
        const sides = new RegExp(
          `Before[\\s\\S]*/-/raw/${base}/b\\.png"[\\s\\S]*After[\\s\\S]*/-/raw/(?:${head}|more)/b\\.png"`,
        );
        assert.match(text, sides, address);
        assert.match(text, /data-path="c\.bin"[\s\S]*Nothing to show: a binary file/, address);
        assert.doesNotMatch(text, /inary files [ab]/, address);
        assert.match(text, new RegExp(`/-/blame/(?:${head}|more)/a\\.js">Blame`), address);
      }
    });

    it('hides whitespace changes by query or preference', async () => {
      const first = await browser.page(page);
      assert.match(first, /href="[^"]*w=1[^"]*">Hide white space/);
      assert.doesNotMatch(first, /<tr class="spaces">/);
      for (const view of ['', '&view=parallel']) {
        const text = await browser.page(`${page}?w=1${view}`);
        assert.match(text, /<t[rd] class="spaces">/);
        assert.match(text, /href="[^"]*w=0[^"]*">Show white space/);
      }
      await server.must('PUT /user/preferences', { json: { show_whitespace_in_diffs: false } });
      assert.match(await browser.page(page), /<tr class="spaces">/);
      assert.doesNotMatch(await browser.page(`${page}?w=0`), /<tr class="spaces">/);
      assert.doesNotMatch(await new Browser(server).page(page), /<tr class="spaces">/);
      await server.must('PUT /user/preferences', { json: { show_whitespace_in_diffs: true } });
    });

    it('shows comments on lines with whitespace changes', async () => {
      const text = await browser.page(`${page}?w=1`);
      const [, code = ''] = /<tr class="spaces">[^\n]*?href="\?w=1&amp;line=([0-9a-f_]+)#/.exec(text) ?? [];
      assert.match(
        await browser.page(`${page}?w=1&line=${code}`),
        /name="old_line" value=""[^>]*><input[^>]*name="new_line" value="2"/,
      );
      const { diff_refs: refs } = await server.must(`GET /projects/${project}/merge_requests/1`);
      const fields = { ...refs, old_path: 'a.js', new_path: 'a.js', new_line: '2', note: 'Indented', w: '1' };
      const redirected = await browser.send(page, page.replace('diffs', 'discussions'), fields);
      assert.match(redirected, /diffs\?w=1#note_/);
      for (const address of [page, `${page}?w=1`])
        assert.match(
          await browser.page(address),
          /<tr class="(?:add|spaces)">[^\n]*one[^\n]*<tr class="remarks">[\s\S]*Indented/,
          address,
        );
    });

    it('shows one file at a time by preference', async () => {
      await server.must('PUT /user/preferences', { json: { view_diffs_file_by_file: true } });
      const second = await browser.page(`${page}?page=2`);
      assert.match(second, /data-path="b\.png"/);
      assert.doesNotMatch(second, /data-path="a\.js"/);
      assert.match(second, />3 files /);
      assert.match(await browser.page(`${page}?files=1`), /page=3#file-1"[^>]*>c\.bin/);
      await server.must('PUT /user/preferences', { json: { view_diffs_file_by_file: false } });
    });

    it('merges with edited commit messages', async () => {
      const request = page.replace('/diffs', '');
      const reader = new Browser(server);
      await reader.signIn((await addUser(server)).username, 'long enough 4 you');
      assert.doesNotMatch(await reader.page(request), /merge_commit_message/);
      const shown = await browser.page(request);
      assert.match(shown, /name="merge_commit_message"[^>]*>Merge branch &#39;more&#39; into &#39;main&#39;\n\nMore\n/);
      assert.match(shown, /name="squash_commit_message"[^>]*>More</);
      const { sha } = await server.must(`GET /projects/${project}/merge_requests/1`);
      // An unedited message is generated at merge time.
      const [, mark = ''] = /name="squash_commit_message_mark" value="([^"]+)"/.exec(shown) ?? [];
      await server.must(`PUT /projects/${project}/merge_requests/1`, { json: { title: 'Even more' } });
      const typed = {
        merge_commit_message: 'Bring\r\n\r\nall of it',
        squash_commit_message: 'More',
        squash_commit_message_mark: mark,
      };
      await browser.send(request, `${request}/merge`, { sha, choices: 'shown', squash: 'true', ...typed });
      const { merge_commit_sha, squash_commit_sha } = await server.must(`GET /projects/${project}/merge_requests/1`);
      const messageOf = async (id: string) =>
        (await server.must(`GET /projects/${project}/repository/commits/${id}`)).message.trim();
      assert.equal(await messageOf(merge_commit_sha), 'Bring\n\nall of it');
      assert.equal(await messageOf(squash_commit_sha), 'Even more');
    });
  });
});
