import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findings, source } from '../../support/axe.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const password = 'quite a long phrase';

for (const javaScriptEnabled of [true, false]) {
  describe(`signing up in a browser ${javaScriptEnabled ? 'with' : 'without'} scripts`, { skip: noChromium }, () => {
    const chromium = new Chromium();
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];

    before(async () => {
      server = await startTestServer('sqlite');
      const json = { signup_enabled: true, require_admin_approval_after_user_signup: false };
      await server.must('PUT /application/settings', { json });
      ({ page, problems } = await chromium.open(server, { javaScriptEnabled, viewport: { width: 390, height: 844 } }));
    });

    /** Returns content beyond a phone screen, and axe violations in light and dark mode. */
    const faults = async () => {
      const body = await page.locator('main').boundingBox();
      const found = body && body.width <= 390 ? [] : [`${body?.width} wide`];
      if (!javaScriptEnabled) return found;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(source);
        found.push(...(await findings(page)));
      }
      return found;
    };

    it('creates an account after correcting errors', async () => {
      await page.goto('/users/sign_in');
      await page.getByRole('link', { name: 'Sign up' }).click();
      await page.getByRole('heading', { name: 'Sign up' }).waitFor();
      assert.deepEqual(await faults(), []);
      await page.getByLabel('Name', { exact: true }).fill('New Person');
      await page.getByLabel('Username').fill('root');
      await page.getByLabel('Email').fill('new@example.com');
      await page.getByLabel('Password').fill('short');
      await page.keyboard.press('Enter');
      await page.getByText('Username has already been taken').waitFor();
      assert.deepEqual(await faults(), []);
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'New Person');
      assert.equal(await page.getByLabel('Email').inputValue(), 'new@example.com');
      assert.equal(await page.getByLabel('Password').inputValue(), '');
      await page.getByLabel('Username').fill('newcomer');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Almost there' }).waitFor();
      assert.deepEqual(await faults(), []);
      await signInWith(page, 'newcomer', password);
      assert.deepEqual(problems, []);
    });
  });
}
