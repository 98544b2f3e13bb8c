import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findings, source } from '../../support/axe.ts';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith, type Window } from '../../support/chromium.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addScene, type Scene } from './scene.ts';

// The pages are the same on both engines. In a file of its own, because it takes as long as all other checks of them.
describe('accessibility of all pages in a browser', { skip: noChromium }, () => {
  const chromium = new Chromium();
  let server: TestServer;
  let scene: Scene;
  let window: Window;

  before(async () => {
    server = await startTestServer('sqlite');
    scene = await addScene(server);
    window = await chromium.open(server, { colorScheme: 'light' });
    await signInWith(window.page, 'root', rootPassword);
  });

  // In parts, because a single test would take minutes.
  const parts = 8;
  let reported = 0;
  for (let part = 0; part < parts; part += 1) {
    it(`passes the axe checks in light and dark mode, and logs nothing (${part + 1} of ${parts})`, async (t) => {
      const { page, problems } = window;
      for (const [name, path] of Object.entries(scene.pages).filter((_, at) => at % parts === part)) {
        await t.test(`${name}: ${path}`, async () => {
          await page.goto(path);
          await page.evaluate(source);
          const found = await findings(page);
          await page.emulateMedia({ colorScheme: 'dark' });
          found.push(...(await findings(page, ['color-contrast'])).map((line) => `in the dark: ${line}`));
          await page.emulateMedia({ colorScheme: 'light' });
          assert.deepEqual(found, []);
          const logged = problems.slice(reported);
          reported = problems.length;
          assert.deepEqual(logged, []);
        });
      }
    });
  }

  it('includes high contrast', async (t) => {
    const { page } = await chromium.open(server, { colorScheme: 'light' });
    await page.goto(scene.pages.blob ?? '');
    await page.getByRole('button', { name: 'High contrast' }).click();
    await page.locator('html[data-theme="contrast"]').waitFor();
    for (const name of ['project', 'blob', 'job', 'issues', 'commit']) {
      await t.test(name, async () => {
        await page.goto(scene.pages[name] ?? '');
        await page.evaluate(source);
        assert.deepEqual(await findings(page, ['color-contrast']), []);
      });
    }
  });
});
