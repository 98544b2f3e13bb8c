import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { rootPassword } from '../../support/browser.ts';
import { addUser } from '../../support/cast.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const description = `Pack these:

- [ ] kettle
- [~] cups
- [x] tea

\`\`\`js
const minutes = 2 < 3 && "&amp;";
\`\`\`
`;

forEachEngine((engine) => {
  describe('Markdown fields in a browser', { skip: noChromium }, () => {
    const chromium = new Chromium();
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];
    let project: number;

    before(async () => {
      server = await startTestServer(engine);
      ({ page, problems } = await chromium.open(server));
      await signInWith(page, 'root', rootPassword);
      ({ id: project } = await server.must('POST /projects', { json: { name: 'picnic' } }));
      await server.must(`POST /projects/${project}/issues`, { json: { title: 'Pack', description } });
      await server.must(`POST /projects/${project}/labels`, { json: { name: 'needs rain', color: '#336699' } });
    });

    const field = () => page.locator('form[action$="/notes"] textarea');
    const button = (name: string) =>
      page.locator('form[action$="/notes"]').last().getByRole('button', { name, exact: true });
    /** Returns the value of the field once it no longer contains the text. */
    const valueWithout = async (text: string): Promise<string> => {
      for (;;) {
        const value = await field().inputValue();
        if (value !== '' && !value.includes(text)) return value;
        await page.waitForTimeout(50);
      }
    };
    const textOf = async () => (await server.must(`GET /projects/${project}/issues/1`)).description;

    it('highlight code and keep its exact text', async () => {
      await page.goto('/root/picnic/-/issues/1');
      const code = page.locator('pre.language-js');
      assert.equal(await code.locator('.hljs-keyword').innerText(), 'const');
      assert.match((await code.textContent()) ?? '', /^const minutes = 2 < 3 && "&amp;";/);
    });

    it('tick a checkbox of the description in place', async () => {
      const boxes = page.locator('input.task-list-item-checkbox');
      assert.deepEqual(
        await boxes.evaluateAll((all) => all.map((box) => (box as unknown as { disabled: boolean }).disabled)),
        [false, true, false],
      );
      await Promise.all([page.waitForResponse(/\/tasks$/), boxes.nth(0).check()]);
      assert.equal(await textOf(), description.replace('[ ] kettle', '[x] kettle'));
      await server.must(`PUT /projects/${project}/issues/1`, { json: { description: '- [ ] first\n- [x] only' } });
      await Promise.all([page.waitForResponse(/\/tasks$/), boxes.nth(2).uncheck()]);
      await page.getByText('first').waitFor();
      assert.equal(await textOf(), '- [ ] first\n- [x] only');
    });

    it('preview a comment', async () => {
      await field().fill('See #1, **soon**.');
      await button('Preview').click();
      await page.locator('.preview strong', { hasText: 'soon' }).waitFor();
      assert.equal(await page.locator('.preview a.gfm-issue').count(), 1);
      assert.equal(await field().isVisible(), false);
      await button('Write').click();
      assert.equal(await field().inputValue(), 'See #1, **soon**.');
    });

    it('upload a file, and show errors', async () => {
      await field().fill('');
      const chooser = page.waitForEvent('filechooser');
      await button('Attach files').click();
      const file = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('bread') };
      await (await chooser).setFiles([file]);
      assert.match(await valueWithout('Uploading'), /^\[list\.txt\]\(\/uploads\/[0-9a-f]{32}\/list\.txt\)$/);
      await server.must('PUT /application/settings', { json: { max_attachment_size: 1 } });
      const second = page.waitForEvent('filechooser');
      await button('Attach files').click();
      await (await second).setFiles([{ ...file, name: 'large.txt', buffer: Buffer.alloc(1_100_000, 'x') }]);
      await page.locator('.writing [role="status"]', { hasText: 'large.txt was not uploaded' }).waitFor();
      assert.doesNotMatch(await field().inputValue(), /large|Uploading/);
    });

    it('upload a file to a group, and preview it', async () => {
      const { id } = await server.must('POST /groups', { json: { name: 'club', path: 'club' } });
      await server.must(`POST /groups/${id}/epics`, { json: { title: 'Outing' } });
      await page.goto('/groups/club/-/epics/1');
      const chooser = page.waitForEvent('filechooser');
      await button('Attach files').click();
      const picture = { name: 'map.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a', 'hex') };
      await (await chooser).setFiles([picture]);
      assert.match(await valueWithout('Uploading'), /^!\[map\]\(\/uploads\/[0-9a-f]{32}\/map\.png\)$/);
      await button('Preview').click();
      await page.locator(`.preview img[src^="/-/group/${id}/uploads/"]`).waitFor({ state: 'attached' });
      await page.locator('form[action$="/notes"]').last().getByRole('button', { name: 'Comment', exact: true }).click();
      await page.locator(`article img[src^="/-/group/${id}/uploads/"]`).waitFor({ state: 'attached' });
      await page.goto('/root/picnic/-/issues/1');
    });

    it('support replying, editing and previewing by keyboard only', async () => {
      await server.must(`POST /projects/${project}/issues/1/notes`, { json: { body: 'Bring the big pot' } });
      await page.goto('/root/picnic/-/issues/1');
      await page.locator('article p', { hasText: 'Bring the big pot' }).selectText();
      await page.keyboard.press('r');
      const reply = page.locator('.thread textarea[name="note"]:focus');
      assert.equal(await reply.inputValue(), '> Bring the big pot\n\n');
      await page.keyboard.press('Control+Shift+P');
      await page.locator('.preview blockquote', { hasText: 'Bring the big pot' }).waitFor();
      // Unaffected by later comments.
      await server.must(`POST /projects/${project}/issues/1/notes`, { json: { body: 'And the small one' } });
      await page.getByText('And the small one', { exact: true }).first().waitFor();
      await page.keyboard.press('Control+Shift+P');
      await reply.waitFor();
      await reply.fill('');
      await field().fill('');
      await page.keyboard.press('ArrowUp');
      assert.equal(await page.locator('textarea:focus').inputValue(), 'And the small one');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'Switch them off' }).click();
      await page.keyboard.press('r');
      assert.equal(await page.locator('textarea:focus').count(), 0);
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'Switch them on' }).click();
      assert.deepEqual(problems, []);
    });

    it('complete references', async () => {
      await field().fill('');
      await field().pressSequentially('For @adm');
      const offered = page.getByRole('option', { name: 'Administrator' });
      await offered.waitFor();
      assert.equal(await offered.getAttribute('aria-selected'), 'true');
      await field().press('Enter');
      assert.equal(await field().inputValue(), 'For @root ');
      await field().pressSequentially('~rain');
      await page.getByRole('option', { name: 'needs rain' }).click();
      assert.equal(await field().inputValue(), 'For @root ~"needs rain" ');
      await field().pressSequentially('#Pac');
      await page.getByRole('option', { name: 'Pack' }).waitFor();
      await field().press('Escape');
      assert.equal(await page.locator('.completion').count(), 0);
      await field().press('Control+b');
      await field().pressSequentially('now');
      assert.equal(await field().inputValue(), 'For @root ~"needs rain" #Pac**now**');
      assert.deepEqual(problems, []);
    });

    it('are enhanced again after a rejected form', async () => {
      await server.must(`POST /projects/${project}/wikis`, { json: { title: 'Basket', content: 'Wide' } });
      await page.goto('/root/picnic/-/wikis/new');
      await page.getByLabel('Title').fill('Basket');
      await page.getByRole('textbox', { name: 'Text' }).fill('Deep');
      await page.getByRole('button', { name: 'Create page' }).click();
      await page.getByRole('alert').waitFor();
      assert.equal(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'Deep');
      assert.equal(await page.getByRole('button', { name: 'Preview' }).count(), 1);
    });

    it('keep drafts after the session expires, for the same user only', async () => {
      const user = await addUser(server, 'guest');
      await server.must(`POST /projects/${project}/members`, { json: { user_id: user.id, access_level: 30 } });
      await page.goto('/root/picnic/-/issues/1');
      await field().fill('Half of a thought');
      await page.context().clearCookies();
      await button('Comment').click();
      await page.getByText('nothing was submitted').waitFor();
      const enter = async (login: string, secret: string) => {
        await page.getByLabel('Username or email').fill(login);
        await page.getByLabel('Password').fill(secret);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL(/\/root\/picnic\/-\/issues\/1$/);
        await field().waitFor();
      };
      await enter(user.username, 'long enough 4 you');
      assert.equal(await field().inputValue(), '');
      await page.context().clearCookies();
      await page.goto('/users/sign_in?redirect=/root/picnic/-/issues/1');
      await enter('root', rootPassword);
      assert.equal(await field().inputValue(), 'Half of a thought');
      await button('Comment').click();
      await page.waitForURL(/#note_\d+$/);
      await page.reload();
      assert.equal(await field().inputValue(), '');
    });
  });
});
