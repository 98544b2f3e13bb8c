import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('form redirects in a browser', { skip: noChromium }, () => {
    const chromium = new Chromium();
    const address = '/root/talk/-/issues/1';
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];
    let project: number;

    const say = async (text: string) => {
      await page.locator('form[action$="/notes"] textarea[name="note"]').fill(text);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
    };
    const saying = (text: string) => page.locator('article', { has: page.getByText(text, { exact: true }) });

    before(async () => {
      server = await startTestServer(engine);
      ({ page, problems } = await chromium.open(server));
      await signInWith(page, 'root', rootPassword);
      ({ id: project } = await server.must('POST /projects', { json: { name: 'talk' } }));
      await server.must(`POST /projects/${project}/issues`, {
        json: { title: 'Much to say', description: 'So it is.\n\n'.repeat(60) },
      });
    });

    it('lead to the new comment and scroll it into view', async () => {
      await page.goto(address);
      await say('The first word');
      await page.waitForURL(/\/issues\/1#note_\d+$/);
      await saying('The first word').waitFor();
      await page.waitForFunction('window.scrollY > 0');
      await page.getByRole('link', { name: 'Link to this comment' }).waitFor();
      assert.equal(await page.locator('form[action$="/notes"] textarea[name="note"]').inputValue(), '');
    });

    it('lead to the page of a long discussion, as do links to comments', async () => {
      const created: number[] = [];
      for (let count = 0; count < 60; count += 1) {
        const { id } = await server.must(`POST /projects/${project}/issues/1/notes`, {
          json: { body: `Word ${count}` },
        });
        created.push(id);
      }
      await page.goto(address);
      await say('The last word');
      await page.waitForURL(/\?page=2#note_\d+$/);
      await saying('The last word').waitFor();
      await page.goto(`${address}#note_${created.at(-1)}`);
      await page.waitForURL(new RegExp(`\\?page=2#note_${created.at(-1)}$`));
      await saying('Word 59').waitFor();
      await saying('Word 59').getByText('React').click();
      await saying('Word 59')
        .getByRole('button', { name: /thumbs ?up/i })
        .click();
      await page.waitForURL(new RegExp(`\\?page=2#note_${created.at(-1)}$`));
      await saying('Word 59')
        .getByRole('button', { name: /thumbsup/, pressed: true })
        .waitFor();
      assert.deepEqual(problems, []);
    });

    it('lead to a card dragged into another column', async () => {
      await server.must(`POST /projects/${project}/labels`, { json: { name: 'doing', color: '#00ff00' } });
      const { id: label } = await server.must(`GET /projects/${project}/labels/doing`);
      const { id: board } = await server.must(`POST /projects/${project}/boards`, { json: { name: 'Work' } });
      const { id: list } = await server.must(`POST /projects/${project}/boards/${board}/lists`, {
        json: { label_id: label },
      });
      await page.goto(`/root/talk/-/boards/${board}`);
      const column = (key: string) => page.locator(`[data-column="${key}"]`);
      await column('open')
        .locator('li')
        .dragTo(column(String(list)));
      await page.waitForURL(/#card_\d+$/);
      await column(String(list)).locator('li').waitFor();
      assert.deepEqual((await server.must(`GET /projects/${project}/issues/1`)).labels, ['doing']);
      await column(String(list)).locator('li').dragTo(column('open'));
      await column('open').locator('li').waitFor();
      assert.deepEqual((await server.must(`GET /projects/${project}/issues/1`)).labels, []);
      // Dropping outside of a column sends nothing.
      await column('open')
        .locator('li')
        .dragTo(page.getByRole('heading', { name: 'Work' }));
      assert.equal(await column('open').locator('li').count(), 1);
      assert.deepEqual(problems, []);
    });

    it('lead to a card reordered by dragging or by buttons', async () => {
      const { id: other } = await server.must('POST /projects', { json: { name: 'order' } });
      for (const title of ['First', 'Second', 'Third', 'Fourth'])
        await server.must(`POST /projects/${other}/issues`, { json: { title } });
      const { id: board } = await server.must(`POST /projects/${other}/boards`, { json: { name: 'Work' } });
      const place = `/root/order/-/boards/${board}`;
      await page.goto(place);
      const stand = async (...titles: string[]) => {
        await page.locator('[data-column="open"] li:nth-child(2)', { hasText: titles[1] ?? '' }).waitFor();
        assert.deepEqual(await page.locator('[data-column="open"] li > a').allTextContents(), titles);
      };
      const card = (title: string) => page.getByRole('link', { name: title, exact: true });
      await card('Fourth').dragTo(card('Second'), { targetPosition: { x: 5, y: 1 } });
      await stand('First', 'Fourth', 'Second', 'Third');
      await page
        .locator('li', { has: card('Second') })
        .getByText('Move', { exact: true })
        .first()
        .click();
      await page.getByRole('button', { name: 'Down: Second' }).click();
      await page.waitForURL(/#card_\d+$/);
      await page.locator('[data-column="open"] li:nth-child(4)', { hasText: 'Second' }).waitFor();
      await stand('First', 'Fourth', 'Third', 'Second');
      const { page: plain } = await chromium.open(server, { javaScriptEnabled: false });
      await signInWith(plain, 'root', rootPassword);
      await plain.goto(place);
      await plain
        .locator('li', { has: plain.getByRole('link', { name: 'Fourth' }) })
        .locator('summary')
        .click();
      await plain.getByRole('button', { name: 'Up: Fourth' }).click();
      await plain.locator('[data-column="open"] li:first-child', { hasText: 'Fourth' }).waitFor();
      assert.deepEqual(problems, []);
    });

    it('lead to the same file in another branch', async () => {
      const json = { branch: 'main', commit_message: 'Write', actions: [] as object[] };
      json.actions.push({ action: 'create', file_path: 'docs/a.txt', content: 'a' });
      await server.must(`POST /projects/${project}/repository/commits`, { json });
      await server.must(`POST /projects/${project}/repository/branches`, {
        json: { branch: 'side/track', ref: 'main' },
      });
      const { page: small, problems: found } = await chromium.open(server, { viewport: { width: 390, height: 844 } });
      await signInWith(small, 'root', rootPassword);
      await small.goto('/root/talk/-/blob/main/docs/a.txt');
      const menu = small.locator('details.refs');
      await menu.locator('summary').press('Enter');
      await menu.getByRole('link', { name: 'side/track' }).waitFor();
      await small.keyboard.press('Tab');
      await small.keyboard.press('Escape');
      assert.equal(await menu.getAttribute('open'), null);
      await menu.locator('summary').click();
      await small.getByRole('searchbox', { name: 'Branch or tag' }).fill('side');
      await small.keyboard.press('Enter');
      await menu.getByRole('link', { name: 'main' }).waitFor({ state: 'detached' });
      await menu.getByRole('link', { name: 'side/track' }).click();
      await small.waitForURL('**/-/blob/side/track/docs/a.txt');
      await small.goto('/root/talk/edit');
      const section = await small.locator('nav.tabs [aria-current]').boundingBox();
      assert.ok(section && section.x >= 0 && section.x + section.width <= 390, JSON.stringify(section));
      assert.deepEqual(found, []);
    });

    it('show an error if the server is unreachable', async () => {
      const before = await server.must(`GET /projects/${project}/issues/1/notes?per_page=100`);
      await page.goto(address);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      assert.equal(await page.locator('textarea[name="note"]:invalid:focus').count(), 1);
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByRole('button', { name: 'Reopen' }).waitFor();
      await page.context().setOffline(true);
      await say('Into the dark');
      await page.getByRole('alert').getByText('The server could not be reached').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.waitForURL(/#note_\d+$/);
      assert.equal(await page.getByRole('alert').count(), 0);
      const after = await server.must(
        `GET /projects/${project}/issues/1/notes?activity_filter=only_comments&per_page=100`,
      );
      assert.equal(after.length, before.filter(({ system }: { system: boolean }) => !system).length + 1);
    });

    it('stay on the page of a rejected form', async () => {
      await page.goto(`${address}?page=2`);
      await server.must(`PUT /application/settings`, { json: { notes_create_limit: 1 } });
      await say('Once');
      await page.waitForURL(/#note_\d+$/);
      await say('Twice');
      await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
      await page.getByRole('link', { name: 'Back to the page' }).click();
      await page.getByRole('heading', { name: 'Discussion' }).waitFor();
      assert.equal(await page.locator('form[action$="/notes"] textarea[name="note"]').inputValue(), 'Twice');
    });
  });
});
