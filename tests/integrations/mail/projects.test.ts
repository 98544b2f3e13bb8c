import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { notifyOfDueIssues } from '../../../src/integrations/mail/due-issues.ts';
import { RunnerClient } from '../../ci/runner-client.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { emailsTo } from '../incoming-mail/post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

const day = 86_400_000;
const names = ['quiet', 'joins', 'watcher', 'chooser', 'mentioned', 'silent'] as const;
type Name = (typeof names)[number];

forEachEngine((engine) => {
  describe('project e-mails', () => {
    let server: TestServer;
    let group: string;
    let at: string;
    const people = {} as Record<Name, Person>;

    const choose = (name: Name, json: object, where = at) =>
      server.must(`PUT ${where}/notification_settings`, { token: people[name].token, json });

    /** Returns how many e-mails with the given words in the subject each user has. */
    const heard = async (words: string) => {
      await server.running.services.queue.drain();
      const all = await Promise.all(
        names.map(async (name) => {
          const messages = await emailsTo(server, `${people[name].username}@example.com`);
          return [name, messages.filter(({ subject, text }) => `${subject}\n${text}`.includes(words)).length] as const;
        }),
      );
      return Object.fromEntries(all.filter(([, count]) => count > 0));
    };

    before(async () => {
      server = await startTestServer(engine);
      for (const name of names) people[name] = await addUser(server, name);
      const created = await server.must('POST /groups', { json: { name: 'Works', path: 'works' } });
      group = `/groups/${created.id}`;
      const project = await server.must('POST /projects', {
        json: { name: 'Told', namespace_id: created.id, visibility: 'private', initialize_with_readme: true },
      });
      at = `/projects/${project.id}`;
      for (const { id } of Object.values(people)) {
        await server.must(`POST ${group}/members`, { json: { user_id: id, access_level: 30 } });
      }
      await choose('watcher', { level: 'watch' });
      await choose('chooser', {
        level: 'custom',
        new_release: true,
        issue_due: true,
        moved_project: false,
        service_account_failed_pipeline: true,
      });
      await choose('mentioned', { level: 'mention' });
      await choose('silent', { level: 'disabled' });
      await choose('joins', { level: 'participating' });
    });

    it('notify watchers and subscribers of a new release once', async () => {
      await server.must(`POST ${at}/releases`, {
        json: { tag_name: 'v1', ref: 'main', name: 'First one', description: 'All that is new' },
      });
      await server.must(`PUT ${at}/releases/v1`, { json: { description: 'Changed' } });
      assert.deepEqual(await heard('New release: First one - v1'), { watcher: 1, chooser: 1 });
      assert.deepEqual(await heard('All that is new'), { watcher: 1, chooser: 1 });
    });

    it('notify participants of an issue due tomorrow', async () => {
      const tomorrow = new Date(Date.now() + day).toISOString().slice(0, 10);
      const assigned = [people.joins.id, people.mentioned.id, people.silent.id];
      const own = { token: people.joins.token };
      await server.must(`POST ${at}/issues`, { json: { title: 'Soon', due_date: tomorrow, assignee_ids: assigned } });
      await server.must(`POST ${at}/issues`, { json: { title: 'Mine soon', due_date: tomorrow }, ...own });
      await server.must(`POST ${at}/issues`, { json: { title: 'Later', due_date: '2099-01-01' }, ...own });
      const closed = await server.must(`POST ${at}/issues`, { json: { title: 'Done', due_date: tomorrow }, ...own });
      await server.must(`PUT ${at}/issues/${closed.iid}`, { json: { state_event: 'close' }, ...own });
      await server.running.services.queue.drain();
      await notifyOfDueIssues(server.running.services);
      assert.deepEqual(await heard('is due tomorrow'), { joins: 2, chooser: 2 });
      assert.deepEqual(await heard('#2 is due tomorrow'), { joins: 1, chooser: 1 });
    });

    it('tell members of a moved project how to update clones', async () => {
      await server.must(`PUT ${at}`, { json: { path: 'renamed' } });
      const members = { quiet: 1, joins: 1, watcher: 1 };
      assert.deepEqual(await heard('works/told was moved to works/renamed'), members);
      assert.deepEqual(await heard('works/renamed.git'), members);
      const other = await server.must('POST /groups', { json: { name: 'Above', path: 'above' } });
      await server.must(`POST ${group}/transfer`, { json: { group_id: other.id } });
      assert.deepEqual(await heard('works/renamed was moved to above/works/renamed'), members);
      await server.must(`PUT ${group}`, { json: { path: 'yard' } });
      assert.deepEqual(await heard('above/works/renamed was moved to above/yard/renamed'), members);
      await server.must(`PUT ${at}`, { json: { name: 'Another name' } });
      await server.must(`DELETE ${at}`);
      await server.must(`POST ${at}/restore`);
      assert.deepEqual(await heard('was moved'), { quiet: 3, joins: 3, watcher: 3 });
      await server.must(`PUT ${at}`, { json: { emails_enabled: false } });
      await server.must(`PUT ${at}`, { json: { path: 'unheard' } });
      assert.deepEqual(await heard('unheard'), {});
      await server.must(`PUT ${at}`, { json: { emails_enabled: true } });
    });

    it('notify subscribers of pipelines started by service accounts', async () => {
      const account = await server.must('POST /service_accounts', { json: { name: 'Robot', username: 'robot' } });
      await server.must(`POST ${at}/members`, { json: { user_id: account.id, access_level: 40 } });
      const { token } = await server.must(`POST /users/${account.id}/personal_access_tokens`, {
        json: { name: 'runs', scopes: ['api'] },
      });
      await server.must(`POST ${at}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content: 'build: { script: make }\n', commit_message: '[skip ci]' },
      });
      await server.running.services.queue.drain();
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
      for (const state of ['failed', 'success'] as const) {
        await server.must(`POST ${at}/pipeline`, { json: { ref: 'main' }, token });
        await server.running.services.queue.drain();
        await runner.report(await runner.take(), { state });
        await server.running.services.queue.drain();
      }
      assert.deepEqual(await heard('pipeline for main'), { chooser: 1 });
      assert.deepEqual(await heard('Failed pipeline for main'), { chooser: 1 });
    });
  });
});
