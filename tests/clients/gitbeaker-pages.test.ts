import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { addPerson, addProject } from '../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { refusal } from './gitbeaker-refusal.ts';
import type { Api } from './gitbeaker-scene.ts';

forEachEngine((engine) => {
  describe('gitbeaker Pages resources', () => {
    let api: Api;
    let server: TestServer;
    let project: number;

    before(async () => {
      server = await startTestServer(engine, ['--pages-domain', 'pages.localhost']);
      api = new Gitlab({ host: server.url, token: rootToken });
      project = (await addProject(server, await addPerson(server, 'ann'), 'site')).id;
    });

    it('settings', async () => {
      const settings = await api.GitlabPages.showSettings(project);
      assert.deepEqual([settings.is_unique_domain_enabled, settings.deployments], [true, []]);
      await api.GitlabPages.remove(project);
    });

    it('domains', async () => {
      const made = await api.PagesDomains.create(project, 'www.example.com');
      assert.equal(made.domain, 'www.example.com');
      const edited = await api.PagesDomains.edit(project, 'www.example.com', { autoSslEnabled: 'true' });
      assert.equal(edited.auto_ssl_enabled, true);
      assert.equal((await api.PagesDomains.show(project, 'www.example.com')).url, made.url);
      assert.equal((await api.PagesDomains.all({ projectId: project })).length, 1);
      assert.equal((await api.PagesDomains.all())[0]?.project_id, project);
      assert.equal((await refusal(api.PagesDomains.create(project, 'www.example.com')))[0], 400);
      await api.PagesDomains.remove(project, 'www.example.com');
      assert.deepEqual(await api.PagesDomains.all(), []);
    });
  });
});
