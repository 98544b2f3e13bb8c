import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addScene, type Scene } from './scene.ts';

// The pages are the same on both engines.
describe('all pages in a browser', { skip: noChromium }, () => {
  const chromium = new Chromium();
  let server: TestServer;
  let scene: Scene;
  let page: Page;
  let problems: readonly string[];

  before(async () => {
    server = await startTestServer('sqlite');
    scene = await addScene(server);
    ({ page, problems } = await chromium.open(server, { colorScheme: 'light' }));
    await signInWith(page, 'root', rootPassword);
  });

  it('fit a phone screen and work without scripts', async (t) => {
    const { page: small } = await chromium.open(server, {
      viewport: { width: 320, height: 640 },
      javaScriptEnabled: false,
    });
    await signInWith(small, 'root', rootPassword);
    for (const [name, path] of Object.entries(scene.pages)) {
      await t.test(`${name}: ${path}`, async () => {
        await small.goto(path);
        // Without scripts, the stylesheet is loaded by a link.
        const bar = await small.locator('header.top').boundingBox();
        assert.ok(bar && bar.height < 200, 'no style');
        const body = await small.locator('main').boundingBox();
        assert.ok(body && body.width <= 320, `${body?.width} wide`);
        const across = await small
          .locator('html')
          .evaluate((page) => (page as unknown as { scrollWidth: number }).scrollWidth);
        assert.ok(across <= 320, `${across} wide`);
        assert.notEqual((await small.locator('h1').first().textContent())?.trim(), '');
      });
    }
    await small.locator('header.top .menu > summary').click();
    const menu = await small.locator('header.top .menu > div').boundingBox();
    assert.ok(menu && menu.x >= 0 && menu.x + menu.width <= 320, 'the menu must be visible');
  });

  it('go to the page of a long file with the line in the fragment', async () => {
    await page.goto(`${scene.pages['long-file']}#L1150`);
    await page.waitForURL(/page=2#L1150$/);
    await page.locator('#L1150.chosen').waitFor();
  });

  // Written only on request, so that a test run leaves the work tree unchanged.
  const pictures = process.env.PICTURES_OF_THE_README === '1' ? false : 'PICTURES_OF_THE_README=1 draws them anew';
  it('are captured for the README', { skip: pictures }, async () => {
    const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');
    await mkdir(folder, { recursive: true });
    await page.setViewportSize({ width: 1120, height: 680 });
    for (const name of ['project', 'request']) {
      await page.goto(scene.pages[name] ?? '');
      await page.screenshot({ path: join(folder, `${name}.png`), caret: 'initial' });
    }
  });

  it('copy text with copy buttons', async () => {
    const { page: own } = await chromium.open(server, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (path: string, name: string | RegExp) => {
      await own.goto(path);
      await own.getByRole('button', { name, exact: true }).first().click();
      await own.getByText('Copied', { exact: true }).waitFor();
      return (await own.evaluate('navigator.clipboard.readText()')) as string;
    };
    const commit = scene.pages.commit ?? '';
    const sha = commit.slice(commit.lastIndexOf('/') + 1);
    assert.equal(await copied(commit, `Copy ${sha}`), sha);
    assert.match(await copied(scene.pages.project ?? '', 'Copy the address'), /\/tea\/kettle\.git$/);
    assert.equal(await copied(scene.pages.project ?? '', 'Copy the text'), 'npx kettle sencha\n');
    assert.match(await copied(scene.pages.blob ?? '', 'Copy the file'), /^import \{/);
    assert.equal(await copied(scene.pages.blob ?? '', 'Copy the path'), 'src/kettle.js');
    assert.equal(await copied(scene.pages.request ?? '', 'Copy darjeeling'), 'darjeeling');
  });

  it('change labels and add reactions without leaving the issue', async () => {
    await page.goto(scene.pages.issue ?? '');
    await page.getByRole('link', { name: 'Edit labels' }).click();
    await page.getByRole('checkbox', { name: 'idea' }).check();
    await page.locator('#side').getByRole('button', { name: 'Save' }).click();
    await page.locator('#side-labels a.label', { hasText: 'idea' }).waitFor();
    assert.equal(new URL(page.url()).pathname, scene.pages.issue);
    await page.getByText('React', { exact: true }).first().click();
    await page
      .getByRole('button', { name: /rocket/ })
      .last()
      .click();
    await page.getByRole('button', { name: /🚀 1 rocket: you/ }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('load the history under former names, and keep the page if that fails', async () => {
    const moved = { action: 'move', file_path: 'docs/steep.txt', previous_path: 'docs/notes.txt' };
    const json = { branch: 'steep', start_branch: 'main', commit_message: 'Say it better', actions: [moved] };
    await server.must('POST /projects/tea%2Fkettle/repository/commits', { json });
    const address = '/tea/kettle/-/commits/steep/docs/steep.txt';
    await page.goto(address);
    const listed = page.locator('#history .list > li');
    await listed.filter({ hasText: 'Brew tea' }).waitFor();
    assert.equal(await listed.count(), 2);
    const { page: unlucky } = await chromium.open(server);
    await unlucky.addInitScript(
      "document.addEventListener('turbo:frame-missing', () => setTimeout(() => { document.body.dataset.missed = '1'; }))",
    );
    await unlucky.route(/follow=1/, (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Busy</h1>' }),
    );
    await unlucky.goto(address);
    await unlucky.locator('body[data-missed]').waitFor();
    assert.deepEqual(await unlucky.locator('#history .list > li a.main').allTextContents(), ['Say it better']);
  });

  it('keep edits of a file over a reload, and commit by keyboard', async () => {
    await page.goto(scene.pages['edit-file'] ?? '');
    const field = page.locator('textarea[name=content]');
    const text = `${await field.inputValue()}// steeped\n`;
    await field.fill(text);
    await page.reload();
    assert.equal(await field.inputValue(), text);
    await page.getByLabel('Branch').fill('steeped');
    await field.press('Control+Enter');
    await page.waitForURL(/merge_requests\/new\?.*steeped/);
    await page.goto('/tea/kettle/-/blob/steeped/src/kettle.js');
    await page.locator('table.code').getByText('// steeped').waitFor();
    await page.goto(scene.pages['edit-file'] ?? '');
    assert.ok(!(await field.inputValue()).includes('steeped'));
  });

  it('take two requests initially and one afterwards', async () => {
    const { page: fresh } = await chromium.open(server);
    const asked: string[] = [];
    fresh.on('request', (request) => asked.push(request.url()));
    const path = scene.pages['long-file'] ?? '';
    await fresh.goto(path, { waitUntil: 'networkidle' });
    assert.equal(asked.length, 2, asked.join('\n'));
    await fresh.reload({ waitUntil: 'networkidle' });
    const sizes = await fresh.evaluate('performance.getEntriesByType("resource").map((entry) => entry.transferSize)');
    assert.deepEqual(sizes, [0]);
    const length = (await fresh.evaluate('performance.getEntriesByType("navigation")[0].encodedBodySize')) as number;
    assert.ok(length > 0 && length <= 30 * 1024, `${length} bytes of HTML`);
  });
});
