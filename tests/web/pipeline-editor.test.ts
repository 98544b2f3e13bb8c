import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { configPath } from '../../src/web/ci/editor.ts';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('CI configuration path', () => {
  const cases: readonly (readonly [string | null | undefined, string | undefined])[] = [
    [undefined, '.gitlab-ci.yml'],
    [null, '.gitlab-ci.yml'],
    ['', '.gitlab-ci.yml'],
    ['ci/main.yml', 'ci/main.yml'],
    ['/ci/main.yml', 'ci/main.yml'],
    ['main.yml@group/other', undefined],
    ['https://example.com/main.yml', undefined],
  ];
  for (const [setting, path] of cases) {
    it(`is ${path ?? 'elsewhere'} for ${setting}`, () => assert.equal(configPath(setting), path));
  }
});

forEachEngine((engine) => {
  describe('the pipeline editor', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    const url = '/projects/root%2Fforge';
    const home = '/root/forge';
    const page = `${home}/-/ci/editor`;
    const valid = 'make: {script: make}\r\n';

    const openPage = (path: string, who = browser) => who.page(path);
    /** Submits the form with its hidden fields. */
    const send = async (fields: Record<string, string>, address = page, who = browser) => {
      const { text } = await who.open(address);
      const hidden = [...text.matchAll(/<input type="hidden" name="(last_commit_id|line_ends)" value="([^"]*)">/g)];
      const kept = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
      return who.fill(address, address, { ...kept, commit_message: 'Build', branch: 'main', ...fields });
    };
    const contentOf = async (ref: string) => {
      const answer = await fetch(
        `${server.url}/api/v4${url}/repository/files/.gitlab-ci.yml/raw?ref=${encodeURIComponent(ref)}`,
      );
      return answer.status === 200 ? answer.text() : answer.status;
    };

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', { json: { name: 'forge', visibility: 'public' } });
    });

    it('requires the right to push', async () => {
      assert.match(await openPage(`${home}/-/pipelines`), /-\/ci\/editor">Editor<[\s\S]*-\/ci\/editor">write one</);
      assert.doesNotMatch(await openPage(`${home}/-/pipelines`, reader), /ci\/editor/);
      assert.equal((await reader.open(page)).status, 403);
      assert.equal((await reader.fill(home, page, { content: valid, do: 'commit' })).status, 403);
      const stranger = await new Browser(server).open(page);
      assert.match(stranger.headers.get('location') ?? '', /^\/users\/sign_in/);
    });

    it('starts with an example in an empty project, lints it, and commits it', async () => {
      assert.match(await openPage(page), /has no <code>\.gitlab-ci\.yml<\/code> yet[\s\S]*stages: \[build, test\]/);
      const checked = await send({ content: valid, do: 'validate' });
      assert.equal(checked.status, 200);
      assert.match(
        checked.text,
        />valid<[\s\S]*1 job\.[\s\S]*<strong>make<\/strong><span class="muted">test<[\s\S]*make: \{script: make\}/,
      );
      assert.equal(await contentOf('main'), 404);
      const done = await send({ content: valid, do: 'commit' });
      assert.deepEqual([done.status, done.headers.get('location')], [303, `${home}/-/blob/main/.gitlab-ci.yml`]);
      assert.equal(await contentOf('main'), 'make: {script: make}\n');
    });

    it('shows lint errors of the file and of edits', async () => {
      assert.match(await openPage(page), />valid<[\s\S]*make: \{script: make\}/);
      const wrong = await send({ content: 'make: {stage: <b>nowhere</b>, script: make}', do: 'validate' });
      assert.match(wrong.text, />invalid<[\s\S]*<h3>Errors<\/h3><ul><li>[^<]*nowhere/);
      assertHarmless(wrong.text, page);
      const text = 'a: {script: x}\nb: {script: x, rules: [{if: "$CI_COMMIT_BRANCH == \\"other\\""}]}';
      const all = await send({ content: text, do: 'validate' });
      assert.match(all.text, /2 jobs\./);
      const asked = await send({ content: text, do: 'validate', dry_run: 'true' });
      assert.match(asked.text, /1 job\.[\s\S]*name="dry_run" value="true" checked/);
      assert.equal((await send({ content: '', do: 'validate' })).status, 200);
    });

    it('edits another branch, and creates one for a merge request', async () => {
      const created = await send({ content: 'topic: {script: x}', do: 'commit', branch: 'topic..a' });
      assert.equal(created.status, 422);
      const asked = await send({ content: 'topic: {script: x}', do: 'commit', branch: 'topic/a' });
      assert.match(asked.headers.get('location') ?? '', /\/-\/merge_requests\/new\?/);
      const other = `${page}?branch_name=topic%2Fa`;
      assert.match(await openPage(other), /topic: \{script: x\}/);
      const saved = await send({ content: 'topic: {script: y}', do: 'commit', branch: 'topic/a' }, other);
      assert.equal(saved.headers.get('location'), `${home}/-/blob/topic/a/.gitlab-ci.yml`);
      assert.equal(await contentOf('main'), 'make: {script: make}\n');
      assert.equal((await browser.open(`${page}?branch_name=nowhere`)).status, 404);
    });

    it('detects concurrent changes', async () => {
      const [, seen = ''] = /name="last_commit_id" value="([^"]*)"/.exec(await openPage(page)) ?? [];
      await send({ content: 'other: {script: make}', do: 'commit' });
      const stale = await send({ content: 'x: {script: x}', do: 'commit', last_commit_id: seen });
      assert.equal(stale.status, 422);
      assert.match(stale.text, /role="alert"[\s\S]*x: \{script: x\}/);
      assert.equal(await contentOf('main'), 'other: {script: make}');
    });

    it('shows the location of an external configuration', async () => {
      await server.must(`PUT ${url}`, { json: { ci_config_path: 'main.yml@root/other' } });
      assert.match(await openPage(page), /of this project is at <code>main\.yml@root\/other/);
      await server.must(`PUT ${url}`, { json: { ci_config_path: 'ci/main.yml' } });
      assert.match(await openPage(page), /has no <code>ci\/main\.yml<\/code> yet/);
      await server.must(`POST ${url}/archive`);
      assert.equal((await browser.open(page)).status, 403);
    });
  });
});
