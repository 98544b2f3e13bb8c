import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { compileAddress } from '../../../src/web/frame/addresses.ts';
import { pages } from '../../../src/web/pages.ts';
import { Browser, rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { assertHarmless } from '../../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addHostileScene, type HostileScene } from './hostile-scene.ts';

/** Finds hostile texts that the browser parsed as elements or attributes; empty if all stayed text. */
const foundInPage = `[...document.querySelectorAll('*')].flatMap((element) => {
  const name = element.localName;
  const attributes = [...element.attributes];
  const bad =
    /^(x-evil|iframe|object|embed|base|frame|math|foreignobject)$/.test(name) ||
    (name === 'style' && document.contains(element)) ||
    (name === 'script' && !/^\\/-\\/assets\\//.test(element.getAttribute('src') ?? '')) ||
    (name === 'form' && new URL(element.getAttribute('action') ?? '', location.href).origin !== location.origin) ||
    attributes.some(({ name, value }) =>
      /^on|^data-evil|^style$|^srcdoc$|[<>"']/.test(name) ||
      (/^(href|src|action|formaction|xlink:href)$/.test(name) && /^\\s*(javascript|vbscript):/i.test(value)));
  return bad ? [element.outerHTML.slice(0, 200)] : [];
})`;

// The pages are the same on both engines.
describe('hostile texts on all pages', () => {
  const chromium = new Chromium();
  let server: TestServer;
  let scene: HostileScene;

  before(async () => {
    server = await startTestServer('sqlite', [
      '--pages-domain',
      'pages.localhost',
      '--incoming-mail-address',
      'in+%{key}@localhost',
    ]);
    scene = await addHostileScene(server);
  });

  it('are escaped, and each occurs on some page', async () => {
    const browser = new Browser(server);
    await browser.signIn('root', rootPassword);
    assert.deepEqual(scene.refused, []);
    const unseen = new Set(scene.written);
    for (const path of scene.pages) {
      const page = await browser.open(path);
      assert.ok(page.status < 500, `${path}: ${page.status}`);
      assertHarmless(page.text, path);
      for (const text of unseen) if (page.text.includes(text)) unseen.delete(text);
    }
    assert.deepEqual([...unseen], []);
  });

  it('cover all pages', () => {
    const paths = scene.pages.map((path) => path.split('?', 1)[0] ?? '');
    const reading = pages.filter(({ method = 'GET' }) => method === 'GET').map(({ path }) => path);
    const missed = reading.filter((pattern) => !paths.some((path) => compileAddress(pattern).test(path)));
    assert.deepEqual(missed, []);
  });

  it('execute nothing and create no elements in a browser', { skip: noChromium }, async () => {
    const { page, problems } = await chromium.open(server);
    const ran: string[] = [];
    page.on('dialog', async (dialog) => {
      ran.push(dialog.message());
      await dialog.dismiss();
    });
    await signInWith(page, 'root', rootPassword);
    const found: string[] = [];
    for (const path of scene.pages) {
      const answer = await page.goto(path);
      // The browser renders a stylesheet as a page.
      if (answer?.headers()['content-type']?.startsWith('text/css')) continue;
      const inPage = (await page.evaluate(foundInPage)) as string[];
      found.push(...inPage.map((element) => `${path}: ${element}`));
    }
    assert.deepEqual(found, []);
    assert.deepEqual(ran, []);
    assert.deepEqual(problems, []);
  });
});
