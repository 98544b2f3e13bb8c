import { existsSync } from 'node:fs';
import { before } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { atEnd } from './at-end.ts';
import type { TestServer } from './server.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env.CHROMIUM ?? places.find((place) => existsSync(place));

/** Reason to skip tests that need a real browser; false if one is installed. */
export const noChromium: string | false =
  program === undefined ? 'chromium is not installed (apt-get install chromium, or set CHROMIUM)' : false;

/** A browser for a test file. */
export class Chromium {
  #browser: Browser | undefined;

  constructor() {
    before(async () => {
      if (program === undefined) return;
      // The sandbox does not work in containers; only our own pages are opened.
      this.#browser = await chromium.launch({
        executablePath: program,
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      });
    });
    atEnd(async () => this.#browser?.close());
  }

  /** Opens a window with separate cookies. Page errors are collected in `problems`. */
  async open(server: TestServer, options: BrowserContextOptions = {}): Promise<Window> {
    if (!this.#browser) throw new Error('no browser is installed');
    const context = await this.#browser.newContext({ baseURL: server.url, ...options });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      const asked = /status of (4\d\d)/.test(message.text());
      if (message.type() === 'error' && !asked) problems.push(message.text());
    });
    return { page, problems };
  }
}

export interface Window {
  readonly page: Page;
  readonly problems: readonly string[];
}

export async function signInWith(page: Page, login: string, password: string): Promise<void> {
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/users/'));
}
