import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { type Receiver, startReceiver } from '../integrations/webhooks/receiver.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Users who watch the project, and whether they may read confidential issues and internal notes. */
const watchers = {
  outsider: { level: 0, confidential: false, internal: false },
  assignee: { level: 0, confidential: true, internal: false },
  guest: { level: Role.guest, confidential: false, internal: false },
  planner: { level: Role.planner, confidential: true, internal: true },
  reporter: { level: Role.reporter, confidential: true, internal: true },
  maintainer: { level: Role.maintainer, confidential: true, internal: true },
} as const;
type Name = keyof typeof watchers;
const names = Object.keys(watchers) as Name[];
const may = (what: 'confidential' | 'internal') => names.filter((name) => watchers[name][what]);

forEachEngine((engine) => {
  describe('notifications about confidential issues and internal notes', () => {
    let server: TestServer;
    let receiver: Receiver;
    let project: { id: number };
    const people = new Map<Name, Person>();
    const person = (name: Name) => people.get(name) as Person;
    const everybody = () => names.map((name) => `@${person(name).user.username}`).join(' ');

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      const group = await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', namespace_id: group.id, visibility: 'public' },
      });
      for (const name of names) {
        people.set(name, await addPerson(server, name));
        const { user, token } = person(name);
        const { level } = watchers[name];
        if (level > 0) {
          await server.must(`POST /projects/${project.id}/members`, {
            json: { user_id: user.id, access_level: level },
          });
        }
        await server.must('PUT /notification_settings', { token, json: { level: 'watch' } });
      }
      const silent = { push_events: false };
      const hooks = {
        plain: { issues_events: true, note_events: true },
        secret: { confidential_issues_events: true, confidential_note_events: true },
      };
      for (const [path, events] of Object.entries(hooks)) {
        await server.must(`POST /projects/${project.id}/hooks`, {
          json: { url: `${receiver.url}/${path}`, ...silent, ...events },
        });
      }
      const secret = await server.must(`POST /projects/${project.id}/issues`, {
        json: {
          title: 'Unsaid matter',
          description: `${everybody()} xyzzy`,
          confidential: true,
          assignee_ids: [person('assignee').user.id],
        },
      });
      const notes = `/projects/${project.id}/issues/${secret.iid}/notes`;
      await server.must(`POST ${notes}`, { json: { body: `${everybody()} plugh` } });
      const plain = await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Known matter' } });
      await server.must(`POST /projects/${project.id}/issues/${plain.iid}/notes`, {
        json: { body: `${everybody()} inward`, internal: true },
      });
      await server.must(`POST /projects/${project.id}/issues/${plain.iid}/notes`, {
        json: { body: `${everybody()} outward` },
      });
      await server.running.services.queue.drain();
    });

    /** Users who were sent an e-mail that contains a word. */
    async function written(word: string): Promise<Name[]> {
      const folder = join(server.running.services.config.data, 'mail');
      const files = (await readdir(folder)).filter((file) => file.endsWith('.eml'));
      const messages = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      const notified = messages.filter((message) => message.includes(word));
      return names.filter((name) => notified.some((message) => message.includes(`To: ${person(name).user.email}`)));
    }

    it('are e-mailed only to users with access', async () => {
      assert.deepEqual(await written('outward'), names);
      assert.deepEqual(await written('Unsaid matter'), may('confidential'));
      assert.deepEqual(await written('plugh'), may('confidential'));
      assert.deepEqual(await written('inward'), may('internal'));
    });

    it('create to-do items only for users with access', async () => {
      const requested = new Map<Name, string>();
      for (const name of names) {
        const todos = await server.must('GET /todos?per_page=100', { token: person(name).token });
        requested.set(name, JSON.stringify(todos));
      }
      const having = (word: string) => names.filter((name) => requested.get(name)?.includes(word));
      assert.deepEqual(having('outward'), names);
      assert.deepEqual(having('Unsaid matter'), may('confidential'));
      assert.deepEqual(having('inward'), may('internal'));
    });

    it('hide the to-do items of a former assignee who lost access', async () => {
      const { user, token } = person('reporter');
      await server.must(`PUT /projects/${project.id}/members/${user.id}`, { json: { access_level: Role.guest } });
      const left = JSON.stringify(await server.must('GET /todos?per_page=100', { token }));
      assert.doesNotMatch(left, /Unsaid matter|plugh|inward/);
      await server.must(`PUT /projects/${project.id}/members/${user.id}`, { json: { access_level: Role.reporter } });
    });

    it('are sent only to webhooks for confidential events', () => {
      const sent = (path: string) => receiver.at(`/${path}`).map(({ raw }) => raw);
      assert.ok(sent('plain').some((raw) => raw.includes('outward')));
      for (const word of ['Unsaid matter', 'plugh', 'inward']) {
        assert.ok(!sent('plain').some((raw) => raw.includes(word)), word);
        assert.ok(
          sent('secret').some((raw) => raw.includes(word)),
          word,
        );
      }
      assert.ok(!sent('secret').some((raw) => raw.includes('outward')));
    });

    it('hide confidential issues of a milestone from users without access', async () => {
      const milestone = await server.must(`POST /projects/${project.id}/milestones`, { json: { title: 'm' } });
      const issue = { title: 'Counted matter', confidential: true, milestone_id: milestone.id };
      await server.must(`POST /projects/${project.id}/issues`, { json: issue });
      for (const name of ['outsider', 'guest'] as const) {
        const { token } = person(name);
        const at = `/projects/${project.id}/milestones/${milestone.id}`;
        assert.deepEqual(await server.must(`GET ${at}/issues`, { token }), [], name);
        const events = await server.must(`GET ${at}/burndown_events`, { token });
        assert.deepEqual(events, [], name);
      }
    });
  });
});
