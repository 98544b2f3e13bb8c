import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('notification settings', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let person: Awaited<ReturnType<typeof addUser>>;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, visibility: 'private' },
      });
      person = await addUser(server, 'person');
    });

    it('can be set globally', async () => {
      const { token, username } = person;
      const email = `${username}@example.com`;
      assert.deepEqual(await server.must('GET /notification_settings', { token }), {
        level: 'participating',
        notification_email: email,
      });
      const custom = await server.must('PUT /notification_settings', {
        token,
        json: { level: 'custom', new_issue: true },
      });
      assert.equal(custom.level, 'custom');
      assert.deepEqual(
        [custom.events.new_issue, custom.events.new_note, custom.events.failed_pipeline, custom.events.new_epic],
        [true, false, true, false],
      );
      const watch = await server.must('PUT /notification_settings', { token, json: { level: 'watch' } });
      assert.deepEqual(watch, { level: 'watch', notification_email: email });
      const back = await server.must('PUT /notification_settings', {
        token,
        json: { level: 'custom', new_note: true },
      });
      assert.deepEqual([back.events.new_issue, back.events.new_note], [true, true]);
    });

    it('can be set for a group and a project', async () => {
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: person.id, access_level: 10 } });
      const { token } = person;
      for (const [place, epics] of [
        [`/groups/${group.id}`, true],
        [`/projects/${project.id}`, false],
      ] as const) {
        assert.deepEqual(await server.must(`GET ${place}/notification_settings`, { token }), { level: 'global' });
        const json = { level: 'custom', close_issue: true };
        const chosen = await server.must(`PUT ${place}/notification_settings`, { token, json });
        assert.deepEqual([chosen.events.close_issue, 'new_epic' in chosen.events], [true, epics]);
        assert.equal((await server.must(`GET ${place}/notification_settings`)).level, 'global');
      }
    });

    it('reject invalid input with the documented errors', async () => {
      const { token } = await addUser(server, 'wrong');
      const table: [string, object, number, unknown][] = [
        ['/notification_settings', { level: 'loud' }, 400, { error: 'level does not have a valid value' }],
        ['/notification_settings', { level: 'global' }, 400, { error: 'level does not have a valid value' }],
        ['/notification_settings', {}, 400, undefined],
        [
          '/notification_settings',
          { notification_email: 'root@example.com' },
          400,
          { message: { notification_email: ['must be an email you have verified'] } },
        ],
        [`/groups/${group.id}/notification_settings`, { new_note: 'perhaps' }, 400, { error: 'new_note is invalid' }],
        [
          `/projects/${project.id}/notification_settings`,
          { level: 'watch' },
          404,
          { message: '404 Project Not Found' },
        ],
      ];
      for (const [path, json, status, body] of table) {
        const answer = await server.api(`PUT ${path}`, { token, json });
        assert.equal(answer.status, status, `${path} ${JSON.stringify(json)}: ${answer.text}`);
        if (body) assert.deepEqual(answer.body, body);
      }
      assert.equal((await server.api('GET /notification_settings', { token: null })).status, 401);
      assert.equal((await server.must('GET /notification_settings', { token })).level, 'participating');
    });

    it('are stored once under concurrent requests', async () => {
      const { token } = await addUser(server, 'raced');
      const answers = await atOnce(5, () =>
        server.api('PUT /notification_settings', { token, json: { level: 'watch' } }),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      );
    });
  });
});
