import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const code = (first: string, second: string) =>
  `const first = ${first};\n\nconst second = ${second};\nexport { first, second };\n`;

forEachEngine((engine) => {
  describe('reviewing in a browser', { skip: noChromium }, () => {
    const chromium = new Chromium();
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];
    let project: number;
    const address = '/root/review/-/merge_requests/1/diffs';

    const commit = (branch: string, action: string, files: Readonly<Record<string, string>>, start?: string) =>
      server.must(`POST /projects/${project}/repository/commits`, {
        json: {
          branch,
          commit_message: 'Change it',
          ...(start && { start_branch: start }),
          actions: Object.entries(files).map(([file_path, content]) => ({ action, file_path, content })),
        },
      });
    const threads = () => server.must(`GET /projects/${project}/merge_requests/1/discussions`);

    before(async () => {
      server = await startTestServer(engine);
      ({ page, problems } = await chromium.open(server));
      await signInWith(page, 'root', rootPassword);
      ({ id: project } = await server.must('POST /projects', { json: { name: 'review' } }));
      await commit('main', 'create', { 'a.js': code('1', '2'), 'b.js': code('1', '2') });
      await commit('more', 'update', { 'a.js': code('10', '2'), 'b.js': code('1', '20') }, 'main');
      await server.must(`POST /projects/${project}/merge_requests`, {
        json: { title: 'More', source_branch: 'more', target_branch: 'main' },
      });
      await server.running.services.queue.drain();
    });

    const line = (file: number, number: number) =>
      page.locator(`#file-${file} td.num:nth-child(2) a`, { hasText: new RegExp(`^${number}$`) });

    for (const view of ['', '?view=parallel']) {
      it(`adds line comments with a suggestion${view && ', side by side'}`, async () => {
        await page.goto(`${address}${view}`);
        const before = (await threads()).length;
        const number = (at: number) =>
          view === '' ? line(1, at) : page.locator('#file-1 td.num:nth-child(3) a', { hasText: new RegExp(`^${at}$`) });
        await number(1).click();
        await page.getByText('Comment on line 1', { exact: true }).waitFor();
        await page.keyboard.type('Like this?\n');
        await number(3).click({ modifiers: ['Shift'] });
        await page.getByText('Comment on lines 1 to 3').waitFor();
        await page.getByRole('button', { name: 'Suggest a change' }).click();
        assert.equal(
          await page.locator('tr.remarks textarea[name="note"]').first().inputValue(),
          'Like this?\n```suggestion:-2+0\nconst first = 10;\n\nconst second = 2;\n```\n',
        );
        await page.getByRole('button', { name: 'Begin a thread' }).click();
        await page.locator('.thread', { hasText: 'Like this?' }).nth(before).waitFor();
        const note = (await threads())[before].notes[0];
        assert.deepEqual(
          [note.position.new_line, note.position.line_range.start.new_line, note.suggestions[0].from_line],
          [3, 1, 1],
        );
      });
    }

    it('keeps drafts per line', async () => {
      await page.goto(address);
      await line(2, 1).click();
      await page.keyboard.type('not yet sent');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await line(2, 4).click();
      assert.equal(await page.locator('#file-2 textarea').inputValue(), '');
      await line(2, 1).click();
      assert.equal(await page.locator('#file-2 textarea').inputValue(), 'not yet sent');
      await page.getByRole('button', { name: 'Cancel' }).click();
      assert.equal(await page.locator('#file-2 tr.remarks').count(), 0);
    });

    it('moves between unresolved threads, and keeps viewed marks until files change', async () => {
      await page.goto(address);
      await page.locator('#file-1 input.seen').check();
      await page.locator('#file-2 input.seen').check();
      await page.getByText('2 of 2 viewed').waitFor();
      assert.equal(await page.locator('#file-1 table.code').first().isVisible(), false);
      await page.reload();
      await page.getByText('2 of 2 viewed').waitFor();
      const { page: elsewhere } = await chromium.open(server, { javaScriptEnabled: false });
      await signInWith(elsewhere, 'root', rootPassword);
      await elsewhere.goto(address);
      await elsewhere.getByText('2 of 2 viewed').waitFor();
      await elsewhere.locator('#file-1 input.seen').uncheck();
      await elsewhere.locator('#file-1').getByRole('button', { name: 'Save' }).click();
      await elsewhere.getByText('1 of 2 viewed').waitFor();
      await page.reload();
      await page.getByText('1 of 2 viewed').waitFor();
      await page.locator('#file-1 input.seen').check();
      await page.getByText('2 of 2 viewed').waitFor();
      await page.keyboard.press('n');
      assert.equal(await page.locator('.thread:focus').count(), 1);
      assert.equal(await page.locator('.thread:focus').isVisible(), true);
      await commit('more', 'update', { 'b.js': code('1', '21') });
      await server.running.services.queue.drain();
      await page.getByText('There is a newer version').waitFor();
      await page.getByRole('link', { name: 'Show the latest' }).click();
      await page.getByText('1 of 2 viewed').waitFor();
      assert.equal(await page.locator('#file-1 input.seen').isChecked(), true);
      assert.equal(await page.locator('#file-2 input.seen').isChecked(), false);
    });

    it('navigates with the command palette', async () => {
      await page.goto(address);
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: /^Go to/ });
      await field.fill('pipel');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/-\/pipelines$/);
      await page.keyboard.press('Control+k');
      await field.fill('!1');
      await page.getByRole('option', { name: 'More !1' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/merge_requests\/1$/);
      await page.keyboard.press('Control+k');
      await field.fill('revie');
      const project = page.getByRole('option', { name: 'root/review project' });
      await project.waitFor();
      assert.ok((await page.locator('.palette [aria-selected="true"]').count()) === 1);
      await project.click();
      await page.waitForURL(/\/root\/review$/);
      assert.equal(await page.locator('dialog[open]').count(), 0);
    });

    it('adds comments between two versions', async () => {
      const [, first] = await server.must(`GET /projects/${project}/merge_requests/1/versions`);
      await page.goto(`${address}?start_sha=${first.head_commit_sha}`);
      await page.locator('.file tr.add td.num a').first().click();
      await page.keyboard.type('Said between versions');
      await page.keyboard.press('Control+Enter');
      await page.locator('tr.add + tr.remarks', { hasText: 'Said between versions' }).waitFor();
      assert.match(page.url(), /start_sha=/);
    });

    it('finds a file of a long diff, and sorts and filters a table, by keyboard', async () => {
      const files = Array.from({ length: 45 }, (_, at) => [`part/${at + 10}.js`, `${at}\n`]);
      await commit('wide', 'create', Object.fromEntries(files), 'main');
      const table = {
        fields: [{ key: 'n', sortable: true }, 'm'],
        items: [10, 9, 11].map((n) => ({ n, m: `*${n}*` })),
        filter: true,
        markdown: true,
      };
      const description = `\`\`\`json:table\n${JSON.stringify(table)}\n\`\`\``;
      const { iid } = await server.must(`POST /projects/${project}/merge_requests`, {
        json: { title: 'Wide', source_branch: 'wide', target_branch: 'main', description },
      });
      await server.running.services.queue.drain();
      await page.goto(`${address.replace(/1\/diffs$/, `${iid}/diffs`)}`);
      const entries = page.locator('nav.files li.row');
      await entries.nth(44).waitFor();
      await page.keyboard.press('f');
      await page.keyboard.type('part 52');
      await entries.nth(1).waitFor({ state: 'detached' });
      assert.match((await entries.first().textContent()) ?? '', /^52\.jsnew \+1 −0$/);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/page=2#file-13$/);
      await page.locator('#file-13[data-path="part/52.js"]').waitFor();
      await page.goto(address.replace(/1\/diffs$/, `${iid}`));
      const column = () => page.locator('.text td:first-child:visible').allTextContents();
      await page.getByRole('button', { name: 'n', exact: true }).press('Enter');
      assert.deepEqual(await column(), ['9', '10', '11']);
      await page.getByRole('button', { name: 'n', exact: true }).press('Enter');
      assert.deepEqual(await column(), ['11', '10', '9']);
      await page.getByLabel(/^Filter the rows/).fill('1');
      assert.deepEqual(await column(), ['11', '10']);
      assert.equal(await page.locator('.text td em').count(), 3);
    });

    it('adds comments on lines of a commit', async () => {
      const { sha } = await server.must(`GET /projects/${project}/merge_requests/1`);
      await page.goto(`/root/review/-/commit/${sha}`);
      await page.locator('#file-1 td.num a').first().click();
      await page.getByText('Comment on line 1', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Suggest a change' }).count(), 0);
      await page.keyboard.type('One line of a commit');
      await page.locator('tr.remarks').getByRole('button', { name: 'Comment' }).click();
      await page.waitForURL(/#note_\d+$/);
      await page.locator('#file-1 tr.remarks .thread', { hasText: 'One line of a commit' }).waitFor();
    });

    it('logs no errors', () => assert.deepEqual(problems, []));
  });
});
