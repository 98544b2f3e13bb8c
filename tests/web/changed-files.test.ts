import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { filesWith } from '../../src/web/code/changed-files.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('changed files found by path', () => {
  const files = [
    { old_path: 'src/Teas.js', new_path: 'src/Teas.js' },
    { old_path: 'src/cups.js', new_path: 'lib/mugs.js' },
    { old_path: 'docs/a b.md', new_path: 'docs/a b.md' },
  ];
  const cases: readonly [string, readonly number[]][] = [
    ['', [0, 1, 2]],
    ['teas', [0]],
    ['SRC js', [0, 1]],
    ['cups', [1]],
    ['mugs  lib', [1]],
    ['a b.md', [2]],
    ['none', []],
    ['.*', []],
  ];
  for (const [search, expected] of cases)
    it(`"${search}"`, () =>
      assert.deepEqual(
        filesWith(files, search).map(([, at]) => at),
        expected,
      ));
});

forEachEngine((engine) => {
  describe('file list of a diff', () => {
    let server: TestServer;
    let browser: Browser;
    let project: number;
    let sha: string;
    const home = '/root/wide';
    const page = `${home}/-/merge_requests/1/diffs`;
    const name = (at: number) => `part-${at % 10}/file-${String(at).padStart(4, '0')}.txt`;
    const many = 1_040;

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('PUT /application/settings', { json: { diff_max_files: 3000 } });
      ({ id: project } = await server.must('POST /projects', {
        json: { name: 'wide', visibility: 'public', initialize_with_readme: true },
      }));
      const actions = Array.from({ length: many }, (_, at) => ({
        action: 'create',
        file_path: name(at),
        content: `${at}\n`.repeat((at % 3) + 1),
      }));
      ({ id: sha } = await server.must(`POST /projects/${project}/repository/commits`, {
        json: { branch: 'more', start_branch: 'main', commit_message: 'Add many', actions },
      }));
      await server.must(`POST /projects/${project}/merge_requests`, {
        json: { title: 'More', source_branch: 'more', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
    });

    it('is loaded in a frame, with totals on the page', async () => {
      const text = await browser.page(page);
      assert.match(text, /<turbo-frame id="changed-files"[^>]* src="[^"]*\/diffs\?files=1"/);
      assert.match(text, new RegExp(`>${many} files <span class="sum">\\+${2 * many - 1} −0<`));
      assert.equal(text.match(/href="#file-\d+"/g)?.length, 30);
    });

    it('links to the page of each file', async () => {
      const text = await browser.page(`${page}?files=1&view=parallel&page=9&search=part-7+0997`);
      const [, href = '', at = ''] = /href="([^"#]*)#file-(\d+)" title="part-7\/file-0997\.txt"/.exec(text) ?? [];
      assert.match(href, /view=parallel&amp;page=\d+$/);
      assert.equal(text.match(/<li class="row">/g)?.length, 1);
      const there = await browser.page(href.replaceAll('&amp;', '&'));
      assert.match(there, new RegExp(`id="file-${at}" data-path="part-7/file-0997\\.txt"`));
    });

    it('is truncated, while the search covers all files', async () => {
      const text = await browser.page(`${page}?files=1`);
      assert.equal(text.match(/<li class="row">/g)?.length, 1_000);
      assert.match(text, new RegExp(`first 1000 of ${many} are listed`));
      assert.match(await browser.page(`${page}?files=1&search=no-such-file`), /No matching files/);
      assert.doesNotMatch(await browser.page(`${page}?files=1&search=%3Cscript%3E`), /<script>"/);
    });

    it('exists for commits and comparisons too', async () => {
      for (const path of [`/-/commit/${sha}`, '/-/compare/main...more']) {
        assert.match(await browser.page(home + path), new RegExp(`id="changed-files"[\\s\\S]*>${many} files <`), path);
        const text = await browser.page(`${home}${path}?files=1&search=file-1039`);
        const [, href = '', at = ''] = /href="([^"#]*)#file-(\d+)"/.exec(text) ?? [];
        assert.match(
          await browser.page(href.replaceAll('&amp;', '&')),
          new RegExp(`id="file-${at}" data-path="part-9/file-1039`),
        );
      }
      assert.equal((await browser.open(`${home}/-/compare/main...none?files=1`)).status, 404);
    });

    it('is available in the API with read access', async () => {
      const of = `/projects/${project}`;
      const [version] = await server.must(`GET ${of}/merge_requests/1/versions`);
      const told = {
        request: `${of}/merge_requests/1/diff_stats`,
        version: `${of}/merge_requests/1/diff_stats?version_id=${version.id}`,
        commit: `${of}/repository/commits/${sha}/diff_stats`,
        comparison: `${of}/repository/compare/diff_stats?from=main&to=more`,
      };
      for (const [kind, url] of Object.entries(told)) {
        const files = await server.must(`GET ${url}`);
        assert.equal(files.length, many, kind);
        const expected = { new_path: name(20), old_path: name(20), new_file: true, additions: 3, deletions: 0 };
        const found = files.find(({ new_path }: { new_path: string }) => new_path === name(20));
        assert.deepEqual({ ...expected, renamed_file: false, deleted_file: false }, found, kind);
      }
      const refused: readonly [string, number][] = [
        [`${told.request}?version_id=999999`, 404],
        [`${told.request}?version_id=x`, 400],
        [`${of}/merge_requests/2/diff_stats`, 404],
        [`${of}/repository/commits/none/diff_stats`, 404],
        [`${of}/repository/compare/diff_stats?from=main`, 400],
        [`${of}/repository/compare/diff_stats?from=main&to=none`, 404],
      ];
      for (const [url, status] of refused) assert.equal((await server.api(`GET ${url}`)).status, status, url);
      await server.must(`PUT ${of}`, { json: { visibility: 'private' } });
      for (const url of Object.values(told))
        assert.equal((await server.api(`GET ${url}`, { token: null })).status, 404, url);
      await server.must(`PUT ${of}`, { json: { visibility: 'public' } });
    });
  });
});
