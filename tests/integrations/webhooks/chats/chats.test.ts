import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../../support/cast.ts';
import { forEachEngine } from '../../../support/engines.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

forEachEngine((engine) => {
  describe('chat integrations', () => {
    let server: TestServer;
    let receiver: Receiver;
    let group: { id: number };
    let project: { id: number };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      group = await server.must('POST /groups', { json: { name: 'Team', path: 'team' } });
      project = await server.must('POST /projects', {
        json: { name: 'App', namespace_id: group.id, initialize_with_readme: true },
      });
    });

    const at = (slug = '') => `/projects/${project.id}/integrations${slug && `/${slug}`}`;
    const openIssue = (title = `Issue ${++count}`, json: object = {}) =>
      server.must(`POST /projects/${project.id}/issues`, { json: { title, ...json } });

    it('are created, shown without secrets, updated and deleted', async () => {
      const none = await server.api(`GET ${at('slack')}`);
      assert.deepEqual([none.status, none.body.message], [404, '404 Integration Not Found']);
      assert.deepEqual(await server.must(`GET ${at()}`), []);
      const made = await server.must(`PUT ${at('slack')}`, {
        json: { webhook: `${receiver.url}/hush`, channel: '#all', push_channel: '#code', push_events: false },
      });
      assert.deepEqual([made.active, made.push_events, made.issues_events], [true, false, true]);
      assert.deepEqual(made.properties, {
        notify_only_broken_pipelines: false,
        branches_to_be_notified: 'default',
        username: null,
        channel: '#all',
        labels_to_be_notified: null,
        labels_to_be_notified_behavior: null,
        push_channel: '#code',
      });
      const kept = await server.must(`PUT ${at('slack')}`, { json: { username: 'forge', channel: null } });
      assert.equal(kept.properties.channel, null);
      assert.equal(kept.properties.username, 'forge');
      assert.equal(kept.push_events, false);
      const all = { branches_to_be_notified: 'all', labels_to_be_notified_behavior: 'match_all' };
      assert.equal((await server.must(`PUT ${at('slack')}`, { json: all })).properties.branches_to_be_notified, 'all');
      const blank = { branches_to_be_notified: '', labels_to_be_notified_behavior: '' };
      const usual = await server.must(`PUT ${at('slack')}`, { json: blank });
      assert.deepEqual(usual.properties, kept.properties, 'a blank value restores the default');
      const list = await server.must(`GET ${at()}`);
      assert.deepEqual(
        list.map((each: { slug: string }) => each.slug),
        ['slack'],
      );
      assert.equal(/hush/.test(JSON.stringify([made, kept, list])), false);
      assert.deepEqual(await server.must(`GET /projects/${project.id}/hooks`), []);
      const id = (await server.must(`GET ${at('slack')}`)).id;
      assert.equal((await server.api(`GET /projects/${project.id}/hooks/${id}`)).status, 404);

      await server.must(`PUT ${at('slack')}`, { json: { active: false } });
      assert.deepEqual(await server.must(`GET ${at()}`), []);
      await server.must(`DELETE ${at('slack')}`);
      assert.equal((await server.api(`DELETE ${at('slack')}`)).status, 404);
    });

    it('get events in their own format', async () => {
      await server.must(`PUT ${at('slack')}`, {
        json: { webhook: `${receiver.url}/slack`, issue_channel: '#bugs', labels_to_be_notified: 'bug' },
      });
      await openIssue('Silent');
      await openIssue('Broken <b>', { labels: 'bug', description: 'Since today' });
      const [{ body } = assert.fail()] = await receiver.arrived('/slack');
      assert.equal(body.channel, '#bugs');
      assert.match(body.text, /^Administrator opened issue <http:\/\/.*\|#\d+ Broken &lt;b&gt;> in <.*\|team\/app>$/);
      assert.equal(body.attachments[0].text, 'Since today');
      await server.must(`POST /projects/${project.id}/repository/commits`, {
        json: {
          branch: 'main',
          commit_message: 'Write',
          actions: [{ action: 'create', file_path: 'a', content: 'a' }],
        },
      });
      await receiver.waitFor('/slack', ({ text }) => /pushed <.*\|1 commit> to the branch/.test(text));
      assert.equal(receiver.at('/slack').length, 2);
      await server.must(`DELETE ${at('slack')}`);
    });

    it('are inherited from the group until a project has its own', async () => {
      const ofGroup = `/groups/${group.id}/integrations/discord`;
      await server.must(`PUT ${ofGroup}`, { json: { webhook: `${receiver.url}/group` } });
      const seen = await server.must(`GET ${at('discord')}`);
      assert.deepEqual([seen.active, seen.inherited], [true, true]);
      assert.equal((await server.api(`DELETE ${at('discord')}`)).status, 404);
      await openIssue('First');
      const [{ body } = assert.fail()] = await receiver.arrived('/group');
      assert.match(body.embeds[0].description, /opened issue \[\\#\d+ First\]/);

      await server.must(`PUT ${at('discord')}`, { json: { webhook: `${receiver.url}/own` } });
      await openIssue('Second');
      await receiver.arrived('/own');
      await server.must(`PUT ${at('discord')}`, { json: { active: false } });
      await openIssue('Third');
      await server.must(`PUT ${at('discord')}`, { json: { use_inherited_settings: true } });
      await openIssue('Fourth');
      await receiver.waitFor('/group', ({ embeds }) => /Fourth/.test(embeds[0].description));
      assert.equal(receiver.at('/group').length, 2);
      assert.equal(receiver.at('/own').length, 1);
      await server.must(`DELETE ${ofGroup}`);
      assert.deepEqual(await server.must(`GET /groups/${group.id}/integrations`), []);
    });

    it('post with the bot token, which is never logged', async () => {
      await server.must(`PUT ${at('telegram')}`, {
        json: { token: '123:very-secret', room: '-1001', hostname: receiver.url },
      });
      await openIssue('By a bot');
      const [{ body } = assert.fail()] = await receiver.arrived('/bot123:very-secret/sendMessage');
      assert.equal(body.chat_id, '-1001');
      assert.match(body.text, /By a bot<\/a>/);
      const elsewhere = await server.api(`PUT ${at('telegram')}`, { json: { hostname: 'https://elsewhere.example' } });
      assert.deepEqual([elsewhere.status, elsewhere.body], [400, { error: 'token is missing' }]);
      await until(async () => (await loggedUrls()).length > 0);
      assert.equal(
        (await loggedUrls()).some((url) => url.includes('very-secret')),
        false,
      );
      await server.must(`DELETE ${at('telegram')}`);
    });

    const loggedUrls = async () => {
      const rows = await server.running.services.db.read.selectFrom('webhook_deliveries').select('url').execute();
      return rows.map(({ url }) => url);
    };

    it('reject invalid settings', async () => {
      for (const [slug, json, status, body] of [
        ['slack', {}, 400, { error: 'webhook is missing' }],
        ['slack', { webhook: 'ftp://chat.example' }, 400, undefined],
        [
          'slack',
          { webhook: 'https://chat.example', channel: 'a,b' },
          400,
          { message: { channel: ['must be a single channel'] } },
        ],
        ['slack', { webhook: 'https://chat.example', username: 'x'.repeat(256) }, 400, undefined],
        [
          'slack',
          { webhook: 'https://chat.example', branches_to_be_notified: 'some' },
          400,
          { error: 'branches_to_be_notified does not have a valid value' },
        ],
        ['slack', { webhook: 'https://chat.example', push_events: 'maybe' }, 400, { error: 'push_events is invalid' }],
        ['telegram', { token: 'a' }, 400, { error: 'room is missing' }],
        ['telegram', { token: 'a/../b', room: '1' }, 400, { message: { token: ['is invalid'] } }],
        ['fax', { webhook: 'https://chat.example' }, 404, { message: '404 Integration Not Found' }],
        ['constructor', { webhook: 'https://chat.example' }, 404, undefined],
      ] as const) {
        const answer = await server.api(`PUT ${at(slug)}`, { json });
        assert.equal(answer.status, status, `${slug} ${JSON.stringify(json)}: ${JSON.stringify(answer.body)}`);
        if (body) assert.deepEqual(answer.body, body);
      }
      assert.deepEqual(await server.must(`GET ${at()}`), []);
    });

    it('require Maintainer in a project and Owner in a group', async () => {
      const outsider = await addUser(server);
      const developer = await addUser(server);
      const maintainer = await addUser(server);
      for (const [user, access_level] of [
        [developer, 30],
        [maintainer, 40],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level } });
      }
      const json = { webhook: `${receiver.url}/roles` };
      for (const [token, inProject, inGroup] of [
        [outsider.token, 404, 404],
        [developer.token, 403, 403],
        [maintainer.token, 200, 403],
      ] as const) {
        assert.equal((await server.api(`GET ${at()}`, { token })).status, inProject);
        assert.equal((await server.api(`PUT ${at('pumble')}`, { token, json })).status, inProject);
        assert.equal((await server.api(`GET ${at('pumble')}`, { token })).status, inProject);
        assert.equal((await server.api(`GET /groups/${group.id}/integrations`, { token })).status, inGroup);
        assert.equal(
          (await server.api(`PUT /groups/${group.id}/integrations/pumble`, { token, json })).status,
          inGroup,
        );
      }
      assert.equal((await server.api(`GET ${at()}`, { token: null })).status, 401);
    });
  });
});
