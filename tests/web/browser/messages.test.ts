import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../../integrations/webhooks/receiver.ts';
import { rootPassword } from '../../support/browser.ts';
import { Chromium, noChromium, signInWith } from '../../support/chromium.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  for (const javaScriptEnabled of [true, false]) {
    describe(`messages after actions, ${javaScriptEnabled ? 'with' : 'without'} scripts`, {
      skip: noChromium,
    }, () => {
      const chromium = new Chromium();
      const home = '/root/lamp';
      let server: TestServer;
      let receiver: Receiver;
      let page: Page;
      let problems: readonly string[];
      let project: number;

      before(async () => {
        server = await startTestServer(engine, ['--allow-local-egress']);
        receiver = await startReceiver();
        ({ page, problems } = await chromium.open(server, { javaScriptEnabled }));
        await signInWith(page, 'root', rootPassword);
        ({ id: project } = await server.must('POST /projects', {
          json: { name: 'lamp', initialize_with_readme: true },
        }));
        await server.must(`POST /projects/${project}/issues`, { json: { title: 'Dark' } });
      });

      const told = () => page.locator('main > .told');
      const say = async (text: string) => {
        await page.locator('form[action$="/notes"] textarea[name="note"]').fill(text);
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
      };

      it('shows the result of quick actions once', async () => {
        await page.goto(`${home}/-/issues/1`);
        await say('/estimate 3h');
        await told().getByText('Set time estimate to 3h.').waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'Dark' }).waitFor();
        assert.equal(await told().count(), 0);
      });

      it('ignores messages from other sessions', async () => {
        const forged = Buffer.from('Send your password').toString('base64url');
        for (const value of [`${forged}.${'A'.repeat(43)}`, `${forged}.`, forged, '%00', 'x'.repeat(3_000)]) {
          await page.context().addCookies([{ name: 'hearth_told', value, url: server.url }]);
          await page.goto(`${home}/-/issues/1`);
          assert.equal(await told().count(), 0, value);
        }
        await page.context().clearCookies({ name: 'hearth_told' });
      });

      it('shows webhook deliveries and resends one', async () => {
        await page.goto(`${home}/-/hooks`);
        await page.getByLabel('Address', { exact: true }).fill(`${receiver.url}/lamp`);
        await page.getByLabel('Deployments').check();
        await page.getByRole('button', { name: 'Add webhook' }).click();
        await page.getByText('pushes, deployments').waitFor();
        await page.getByRole('button', { name: 'Test with a push' }).click();
        await told().getByText('was delivered').waitFor();
        await page.getByRole('link', { name: 'Deliveries' }).click();
        await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
        assert.equal(await page.locator('main ul.list > li').count(), 1);
        await page.getByRole('button', { name: 'Resend' }).click();
        await told().getByText('Resent').waitFor();
        assert.equal(await page.locator('main ul.list > li').count(), 2);
        await page.locator('main ul.list > li summary').first().click();
        await page.getByText('"object_kind": "push"').first().waitFor();
        await page.getByLabel('Answered').selectOption('server_failure');
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.getByText('No such delivery.').waitFor();
      });

      it('updates the push access of a protected branch', async () => {
        await page.goto(`${home}/-/settings/branches`);
        await page.getByRole('link', { name: 'Edit' }).click();
        await page.getByRole('heading', { name: 'Protected branches: change' }).waitFor();
        await page.getByLabel('Allowed to push').selectOption({ label: 'Nobody' });
        await page.getByLabel('Allow force push').check();
        await page.getByRole('button', { name: 'Save' }).click();
        await told().getByText('Saved.').waitFor();
        const rule = await server.must(`GET /projects/${project}/protected_branches/main`);
        const levels = (list: { access_level: number }[]) => list.map(({ access_level }) => access_level);
        assert.deepEqual(
          [levels(rule.push_access_levels), levels(rule.merge_access_levels), rule.allow_force_push],
          [[0], [40], true],
        );
      });

      it('creates a group from its name, and restores it after deletion', async () => {
        await page.goto('/groups/new');
        await page.getByLabel('Name', { exact: true }).fill('Über uns Co.');
        await page.getByRole('button', { name: 'Create group' }).click();
        await page.waitForURL((url) => url.pathname === '/uber-uns-co');
        await server.must('DELETE /groups/uber-uns-co');
        const [{ full_path: marked }] = await server.must('GET /groups?search=uber');
        await page.goto(`/groups/${marked}/-/edit`);
        await page.getByRole('button', { name: 'Keep it' }).click();
        await told().getByText('The deletion was canceled.').waitFor();
        assert.equal((await server.must('GET /groups?search=uber'))[0].marked_for_deletion_on, null);
      });

      it('renames a project and redirects to it', async () => {
        await page.goto(`${home}/edit`);
        await page.getByLabel('Path', { exact: false }).first().fill('lantern');
        await page.getByRole('button', { name: 'Save' }).first().click();
        await page.waitForURL((url) => url.pathname === '/root/lantern/edit');
        await told().getByText('Saved.').waitFor();
        await page.goto('/root/lantern/-/issues/1');
        await page.getByRole('heading', { name: 'Dark' }).waitFor();
      });

      it('explains why a job is pending', async () => {
        const actions = [
          { action: 'create', file_path: '.gitlab-ci.yml', content: 'lit: {script: "true", tags: [gas]}' },
        ];
        await server.must(`POST /projects/${project}/repository/commits`, {
          json: { branch: 'ci', start_branch: 'main', commit_message: 'Light', actions },
        });
        await server.running.services.queue.drain();
        const [job] = await server.must(`GET /projects/${project}/jobs`);
        await page.goto(`/root/lantern/-/jobs/${job.id}`);
        await page.getByText('No runner with the tags gas is online for this job.').waitFor();
        await page.getByRole('link', { name: 'Set one up' }).click();
        await page.getByRole('button', { name: 'Create runner' }).click();
        const command = await page.getByLabel('GitLab Runner').inputValue();
        assert.match(
          command,
          new RegExp(`^gitlab-runner register --non-interactive --url ${server.url} --token glrt-`),
        );
        await page.goto('/root/lantern/-/settings/runners');
        await page.getByRole('button', { name: 'Pause' }).click();
        await page.getByText('paused', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Edit' }).click();
        await page.getByRole('heading', { name: 'Runners: change' }).waitFor();
        await page.getByLabel('Name', { exact: true }).fill('Gaslight');
        await page.getByRole('button', { name: 'Save' }).click();
        await told().getByText('Saved.').waitFor();
        const remove = () => page.getByRole('button', { name: 'Delete' }).click();
        if (javaScriptEnabled) {
          page.once('dialog', (dialog) => dialog.dismiss());
          await remove();
          await page.reload();
          page.once('dialog', async (dialog) => {
            assert.equal(dialog.message(), 'Delete: are you sure?');
            await dialog.accept();
          });
        }
        await remove();
        await page.getByText('No runners.').waitFor();
        assert.deepEqual(problems, []);
      });
    });
  }
});
