import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { type Receiver, startReceiver } from '../integrations/webhooks/receiver.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('gitbeaker integrations and instance resources', () => {
    let server: TestServer;
    let receiver: Receiver;
    let api: InstanceType<typeof Gitlab>;
    let group: { id: number };
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      api = new Gitlab({ host: server.url, token: rootToken });
      group = await api.Groups.create('Group', 'group');
      project = await api.Projects.create({ name: 'walrus', namespaceId: group.id, initializeWithReadme: true });
    });

    it('configures and deletes chat integrations', async () => {
      await api.Integrations.edit(project.id, 'slack', { webhook: `${receiver.url}/chat` } as never);
      assert.deepEqual(
        (await api.Integrations.all(project.id)).map(({ slug }) => slug),
        ['slack'],
      );
      await api.Issues.create(project.id, 'Talked of');
      const [told] = await receiver.arrived('/chat');
      assert.match(told?.body.text, /Talked of/);
      assert.equal((await api.Integrations.show(project.id, 'slack')).active, true);
      await api.Integrations.disable(project.id, 'slack');
      assert.deepEqual(await api.Integrations.all(project.id), []);
    });

    it('configures Jira, another issue tracker and e-mail integrations of projects and groups', async () => {
      const jira = { url: receiver.url, username: 'ada', password: 'sesame', commitEvents: true };
      await api.Integrations.edit(project.id, 'jira', jira as never);
      const { properties } = (await api.Integrations.show(project.id, 'jira')) as unknown as {
        properties: { username?: string };
      };
      assert.equal(properties.username, 'ada');
      await api.Commits.create(project.id, 'main', 'Mend ABC-1', [
        { action: 'create', filePath: 'mended', content: 'x' },
      ]);
      const [asked] = await receiver.arrived('/rest/api/2/issue/ABC-1?fields=resolution');
      assert.equal(asked?.headers.authorization, `Basic ${Buffer.from('ada:sesame').toString('base64')}`);
      await api.Integrations.disable(project.id, 'jira');
      const messages = await api.Integrations.edit(project.id, 'emails-on-push', { recipients: 'a@x.org' } as never);
      assert.equal(messages.push_events, true);
      await api.Integrations.disable(project.id, 'emails-on-push');
      const addresses = { projectUrl: 'https://yt.test', issuesUrl: 'https://yt.test/issue/:id' };
      assert.equal((await api.Integrations.edit(project.id, 'youtrack', addresses as never)).active, true);
      await api.Integrations.disable(project.id, 'youtrack');
    });

    it('manages and tests webhooks of projects, groups and the instance', async () => {
      const hook = await api.ProjectHooks.add(project.id, `${receiver.url}/p`, { issuesEvents: true, token: 'hush' });
      assert.equal(hook.issues_events, true);
      assert.equal(
        (await api.ProjectHooks.edit(project.id, hook.id, `${receiver.url}/q`, { noteEvents: true, token: 'hush' }))
          .url,
        `${receiver.url}/q`,
      );
      assert.equal((await api.ProjectHooks.show(project.id, hook.id)).note_events, true);
      await api.Issues.create(project.id, 'Told');
      const [told] = await receiver.arrived('/q');
      assert.equal(told?.headers['x-gitlab-token'], 'hush');
      assert.deepEqual(
        (await api.ProjectHooks.all(project.id)).map(({ id }) => id),
        [hook.id],
      );
      await api.ProjectHooks.remove(project.id, hook.id);
      await assert.rejects(api.ProjectHooks.show(project.id, hook.id), /404 Not found/);
      await assert.rejects(api.ProjectHooks.add(project.id, 'nothing'), /Invalid url given/);

      const ofGroup = await api.GroupHooks.add(group.id, `${receiver.url}/g`, { pushEvents: true });
      assert.deepEqual(
        (await api.GroupHooks.all(group.id)).map(({ id }) => id),
        [ofGroup.id],
      );
      const edited = await api.GroupHooks.edit(group.id, ofGroup.id, `${receiver.url}/h`, { tagPushEvents: true });
      assert.equal(edited.tag_push_events, true);
      assert.equal((await api.GroupHooks.show(group.id, ofGroup.id)).url, `${receiver.url}/h`);
      await api.GroupHooks.remove(group.id, ofGroup.id);

      const ofInstance = await api.SystemHooks.add(`${receiver.url}/s`, { pushEvents: true });
      await api.SystemHooks.test(ofInstance.id);
      await receiver.arrived('/s');
      await api.SystemHooks.remove(ofInstance.id);
      assert.deepEqual(await api.SystemHooks.all(), []);
    });

    it('reads and changes limits, settings and statistics of the instance', async () => {
      assert.equal((await api.ApplicationPlanLimits.show()).ci_pipeline_schedules, 10);
      const changed = await api.ApplicationPlanLimits.edit('default', { ciPipelineSchedules: 11 });
      assert.equal(changed.ci_pipeline_schedules, 11);
      await assert.rejects(api.ApplicationPlanLimits.edit('gold'), /plan_name does not have a valid value/);
      const [event] = await api.AuditEvents.all({ perPage: 1, maxPages: 1 });
      assert.equal(event?.details.change, 'ci_pipeline_schedules');
      assert.equal(typeof (await api.ApplicationStatistics.show()).users, 'string');
      assert.equal((await api.ApplicationSettings.edit({ maxSshKeyLifetime: 90 })).max_ssh_key_lifetime, 90);
      assert.equal((await api.ApplicationSettings.show()).max_ssh_key_lifetime, 90);
    });

    it('reads audit events of the instance, a group and a project', async () => {
      const token = await api.ProjectAccessTokens.create(project.id, 'recorded', ['api'], '2027-01-01');
      const user = await api.Users.create({
        ...{ email: 'seal@example.com', username: 'seal', name: 'Seal', password: 'long enough 4 you' },
        skipConfirmation: true,
      });
      await api.GroupMembers.add(group.id, 30, { userId: user.id });
      for (const where of [{}, { groupId: group.id }, { projectId: project.id }]) {
        const events = await api.AuditEvents.all(where);
        const [first] = events;
        assert.ok(first, JSON.stringify(where));
        assert.deepEqual((await api.AuditEvents.show(first.id, where)).details, first.details);
      }
      await assert.rejects(api.AuditEvents.show(999_999), /404/);
      await api.ProjectAccessTokens.revoke(project.id, token.id);
    });

    it('reads templates', async () => {
      // The client requests licenses at a URL that no server has; those of a project work.
      for (const kind of ['GitignoreTemplates', 'GitLabCIYMLTemplates', 'DockerfileTemplates'] as const) {
        const [first] = await api[kind].all({ perPage: 1, maxPages: 1 });
        assert.ok(first, kind);
        assert.ok(((await api[kind].show(String(first.key))).content ?? '').length > 0, `${kind} ${first.key}`);
        await assert.rejects(api[kind].show('no-such-template'), /404/);
      }
      const [inProject] = await api.ProjectTemplates.all(project.id, 'licenses', { perPage: 1, maxPages: 1 });
      assert.ok(inProject);
      assert.ok((await api.ProjectTemplates.show(project.id, 'licenses', String(inProject.key))).content);
    });

    it('searches', async () => {
      assert.equal((await api.Search.all('projects', 'walrus')).length, 1);
      assert.equal((await api.Search.all('issues', 'Told', { projectId: project.id })).length, 1);
      assert.equal((await api.Search.all('blobs', 'walrus', { projectId: project.id })).length, 1);
      assert.equal((await api.Search.all('users', 'root')).length, 1);
      assert.equal((await api.Search.all('projects', 'walrus', { groupId: group.id })).length, 1);
      assert.equal((await api.Search.all('commits', 'Initial', { projectId: project.id })).length, 1);
      assert.deepEqual(await api.Search.all('merge_requests', 'narwhal'), []);
      assert.deepEqual(await api.Search.all('milestones', 'narwhal'), []);
      await assert.rejects(api.Search.all('projects', 'walrus', { groupId: 999_999 }), /404/);
    });

    it('manages wiki pages', async () => {
      const page = await api.ProjectWikis.create(project.id, 'Content', 'A page');
      assert.equal(page.slug, 'A-page');
      assert.equal((await api.ProjectWikis.show(project.id, 'A-page')).content, 'Content');
      await api.ProjectWikis.edit(project.id, 'A-page', { content: 'Other' });
      assert.deepEqual(
        (await api.ProjectWikis.all(project.id, { withContent: true })).map(({ content }) => content),
        ['Other'],
      );
      const file = { content: new Blob(['x']), filename: 'x.txt' };
      assert.equal((await api.ProjectWikis.uploadAttachment(project.id, file)).file_name, 'x.txt');
      await api.ProjectWikis.remove(project.id, 'A-page');
      assert.deepEqual(await api.ProjectWikis.all(project.id), []);
      assert.equal((await api.GroupWikis.create(group.id, 'Content', 'Home')).title, 'Home');
      assert.equal((await api.GroupWikis.show(group.id, 'Home')).content, 'Content');
      assert.equal((await api.GroupWikis.edit(group.id, 'Home', { content: 'Other' })).content, 'Other');
      assert.equal((await api.GroupWikis.uploadAttachment(group.id, file)).file_name, 'x.txt');
      await assert.rejects(api.GroupWikis.show(group.id, 'Nowhere'), /404/);
      await api.GroupWikis.remove(group.id, 'Home');
      assert.deepEqual(await api.GroupWikis.all(group.id), []);
    });
  });
});
