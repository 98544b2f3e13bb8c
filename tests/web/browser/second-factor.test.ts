import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addUser } from '../../support/cast.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { appCode, codePage, factorPage, keyIn, longAgo } from '../../support/second-factor.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const password = 'long enough 4 you';

forEachEngine((engine) => {
  for (const javaScriptEnabled of [true, false]) {
    describe(`two-factor authentication in a browser ${javaScriptEnabled ? 'with' : 'without'} scripts`, {
      skip: noChromium,
    }, () => {
      const chromium = new Chromium();
      let server: TestServer;
      let page: Page;
      let problems: readonly string[];
      let user: Awaited<ReturnType<typeof addUser>>;
      let key: Buffer;
      let codes: string[];

      before(async () => {
        server = await startTestServer(engine);
        ({ page, problems } = await chromium.open(server, { javaScriptEnabled }));
        user = await addUser(server);
      });

      const giveNames = async () => {
        await page.goto('/dashboard/todos');
        await page.getByLabel('Username or email').fill(user.username);
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.pathname === codePage);
      };

      it('is enabled, and shows its recovery codes once', async () => {
        await signInWith(page, user.username, password);
        await page.goto(factorPage);
        key = keyIn(await page.content());
        await page.getByLabel('Code', { exact: true }).fill('123');
        await page.getByLabel('Current password').fill(password);
        await page.getByRole('button', { name: 'Switch on' }).click();
        await page.getByText('Invalid two-factor code.').waitFor();
        assert.deepEqual(keyIn(await page.content()), key);
        await page.getByLabel('Code', { exact: true }).fill(appCode(key));
        await page.getByLabel('Current password').fill(password);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
        codes = await page.locator('.codes code').allTextContents();
        assert.equal(codes.length, 10);
        await page.getByRole('link', { name: 'I have saved them' }).click();
        await page.getByText('10 recovery codes are left').waitFor();
      });

      it('is required at the next sign-in, by keyboard only', async () => {
        await longAgo(server, user.id);
        await page.context().clearCookies();
        await giveNames();
        await page.keyboard.type('000000');
        await page.keyboard.press('Enter');
        await page.getByText('Invalid two-factor code.').waitFor();
        await page.getByLabel('Code', { exact: true }).fill(appCode(key));
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.pathname === '/dashboard/todos');
      });

      it('accepts a recovery code, and is disabled', async () => {
        await page.context().clearCookies();
        await giveNames();
        await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
        await page.getByRole('button', { name: 'Verify code' }).click();
        await page.waitForURL((url) => url.pathname === '/dashboard/todos');
        await page.goto(factorPage);
        await page.getByText('9 recovery codes are left').waitFor();
        const off = page.locator(`form[action="${factorPage}/off"]`);
        await off.getByLabel('Code').fill(codes[1] ?? '');
        await off.getByLabel('Current password').fill(password);
        await off.getByRole('button').click();
        await page.getByRole('button', { name: 'Switch on' }).waitFor();
        assert.deepEqual(problems, []);
      });

      it('redirects to setup if it is required', async () => {
        const json = { require_two_factor_authentication: true, two_factor_grace_period: 0 };
        await server.must('PUT /application/settings', { json });
        await page.goto('/explore');
        await page.waitForURL((url) => url.pathname === factorPage);
        await page.getByText('to continue').waitFor();
        assert.deepEqual(problems, []);
      });
    });
  }
});
