import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startAgent } from '../../../src/runner/agent.ts';
import { atEnd } from '../../support/at-end.ts';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';

/** The job continues once the branch `go` exists; by then the test has seen its first line. */
const ci = `watched:
  script:
    - echo "the first line"
    - until git ls-remote "$CI_REPOSITORY_URL" refs/heads/go | grep -q go; do sleep 0.2; done
    - echo "the last line"
`;

async function startRunner(server: TestServer): Promise<void> {
  const { token } = await server.must('POST /user/runners', { json: { runner_type: 'instance_type' } });
  const folder = await mkdtemp(join(tmpdir(), 'hearth-runner-'));
  const agent = await startAgent({ url: server.url, token, folder, concurrent: 1, version: '18.9.0', log: () => {} });
  atEnd(async () => {
    await agent.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

forEachEngine((engine) => {
  describe('typical workflow in a browser', { skip: noChromium }, () => {
    const chromium = new Chromium();
    let server: TestServer;
    let page: Page;
    let problems: readonly string[];
    let git: GitClient;
    const home = '/root/lamp';

    before(async () => {
      server = await startTestServer(engine, ['--job-poll', '5s']);
      ({ page, problems } = await chromium.open(server));
      git = new GitClient();
      await git.init();
      await startRunner(server);
    });

    const seen = (text: string) => page.getByText(text, { exact: false }).first().waitFor();

    it('signs in and creates a project', async () => {
      await signInWith(page, 'root', rootPassword);
      await page.getByRole('link', { name: 'New project' }).click();
      await page.getByLabel('Name', { exact: true }).fill('lamp');
      await page.getByRole('button', { name: 'Create project' }).click();
      await seen('git remote add origin');
    });

    it('pushes with git and reads the code', async () => {
      await git.commit(
        { 'README.md': '# A lamp\n\nIt *shines*.\n', 'src/lamp.js': 'export const on = true;\n' },
        'Shine',
      );
      await git.git('remote', 'add', 'origin', withCredentials(server.url, 'root/lamp', 'root', rootToken));
      await git.git('push', '-q', 'origin', 'main');
      await page.goto(home);
      await seen('A lamp');
      await page.getByRole('link', { name: 'src' }).click();
      await page.getByRole('link', { name: 'lamp.js' }).click();
      await page.locator('.hljs-keyword').first().waitFor();
      assert.match((await page.locator('#L1').textContent()) ?? '', /export const on = true;/);
    });

    it('creates an issue and comments on it', async () => {
      await page.getByRole('link', { name: 'Issues', exact: true }).last().click();
      await page.getByRole('link', { name: 'New issue' }).click();
      await page.getByLabel('Title', { exact: true }).fill('It flickers');
      await page.getByRole('button', { name: 'Create issue' }).click();
      await page.getByRole('heading', { name: 'It flickers' }).waitFor();
      // The draft is restored after reloading.
      const field = page.getByLabel('Comment', { exact: true });
      await field.fill('Only in the **evening**.');
      await page.reload();
      assert.equal(await field.inputValue(), 'Only in the **evening**.');
      await field.press('Control+Enter');
      await page.locator('.text strong', { hasText: 'evening' }).waitFor();
      await page.reload();
      assert.equal(await field.inputValue(), '');
    });

    it('creates a merge request, follows the live pipeline and log, and merges', async () => {
      await git.git('checkout', '-q', '-b', 'steady');
      await git.commit({ '.gitlab-ci.yml': ci }, 'Shine steadily');
      await git.git('push', '-q', 'origin', 'steady');
      await page.goto(`${home}/-/merge_requests/new?merge_request[source_branch]=steady`);
      await page.getByLabel('Title', { exact: true }).fill('Shine steadily');
      await page.getByRole('button', { name: 'Create merge request' }).click();
      await page.getByRole('heading', { name: 'Shine steadily' }).waitFor();
      const request = new URL(page.url()).pathname;
      await server.running.services.queue.drain();
      const [job] = await server.must(`GET /projects/root%2Flamp/jobs`);
      await page.goto(`${home}/-/jobs/${job.id}`);
      // No navigation from here on: the page updates itself.
      const log = page.locator('#log');
      await log.getByText('the first line', { exact: true }).waitFor();
      assert.equal(await log.getByText('the last line', { exact: true }).count(), 0);
      await server.must('POST /projects/root%2Flamp/repository/branches', { json: { branch: 'go', ref: 'main' } });
      await log.getByText('the last line', { exact: true }).waitFor();
      await page.locator('#job-state .badge-success').waitFor();
      await page.goto(request);
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.locator('.badge-merged').first().waitFor();
      await page.goto(home);
      await page.getByRole('link', { name: '.gitlab-ci.yml' }).waitFor();
    });

    it('navigates by keyboard', async () => {
      await page.goto(home);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      assert.equal(await page.evaluate('document.activeElement.id'), 'search');
      await page.keyboard.press('Escape');
      await page.keyboard.press('t');
      await page.waitForURL(/find_file/);
      await page.goto(`${home}/-/blob/main/src/lamp.js#L1`);
      await page.keyboard.press('y');
      await page.waitForURL(/\/-\/blob\/[0-9a-f]{40}\/src\/lamp\.js#L1$/);
      await page.goto(home);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      assert.equal(await page.evaluate('document.activeElement.textContent'), '.gitlab-ci.yml');
      await page.keyboard.press('k');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'src');
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      await page.waitForURL(/\/-\/issues$/);
    });

    it('logs nothing to the console', () => assert.deepEqual(problems, []));
  });
});
