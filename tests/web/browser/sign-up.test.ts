import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findings, source } from '../../support/axe.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const password = 'quite a long phrase';

for (const javaScriptEnabled of [true, false]) {
  describe(`signing up in a browser ${javaScriptEnabled ? 'with' : 'without'} scripts`, { skip: noChromium }, () => {
    const chromium = new Chromium();
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];

    before(async () => {
      server = await startTestServer('sqlite');
      const json = {
        signup_enabled: true,
        require_admin_approval_after_user_signup: false,
        email_confirmation_setting: 'soft',
      };
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

    /** Returns the link in an email to the newcomer, once it has arrived. */
    const linkInEmail = async (name: string) => {
      const folder = join(server.running.services.config.data, 'mail');
      const link = new RegExp(`${server.url}/\\S*${name}_token=[^\\s"<]+`);
      const links = async () => {
        const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.eml'));
        const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
        return texts.map((text) => link.exec(text.replace(/=\r?\n/g, '').replaceAll('=3D', '='))?.[0]);
      };
      await until(async () => (await links()).some((found) => found !== undefined));
      return (await links()).find((found) => found !== undefined) ?? '';
    };

    it('confirms the address by the link in the email', async () => {
      await page.goto(await linkInEmail('confirmation'));
      assert.deepEqual(await faults(), []);
      const colour = await page.evaluate("getComputedStyle(document.querySelector('button')).color");
      assert.equal(colour, 'rgb(255, 255, 255)');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('new@example.com is confirmed.').waitFor();
      assert.deepEqual(await faults(), []);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.waitForURL(`${server.url}/`);
      assert.deepEqual(problems, []);
    });

    it('sets another password by the link in an email', async () => {
      await page.context().clearCookies();
      await page.goto('/users/sign_in');
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('Email').fill('new@example.com');
      await page.keyboard.press('Enter');
      await page.getByText('you will receive a password recovery link').waitFor();
      assert.deepEqual(await faults(), []);
      await page.goto(await linkInEmail('reset_password'));
      assert.deepEqual(await faults(), []);
      await page.getByLabel('New password').fill('short');
      await page.keyboard.press('Enter');
      await page.getByText('is too short').waitFor();
      const another = `${password}, and longer`;
      await page.getByLabel('New password').fill(another);
      await page.keyboard.press('Enter');
      await page.getByText('Your password has been changed successfully.').waitFor();
      assert.deepEqual(await faults(), []);
      await page.getByRole('link', { name: 'Sign in' }).first().click();
      await signInWith(page, 'newcomer', another);
      assert.deepEqual(problems, []);
    });
  });
}
