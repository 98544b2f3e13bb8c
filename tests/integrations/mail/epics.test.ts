import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { address, emailsTo, emailWith, message, post, settled } from '../incoming-mail/post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('epic notification e-mails', () => {
    let server: TestServer;
    let group: { id: number };
    let planner: Person;
    let member: Person;
    let stranger: Person;

    const mailOf = ({ username }: Person) => `${username}@example.com`;
    const subjectsTo = async (person: Person) =>
      (await emailsTo(server, mailOf(person)))
        .map(({ subject }) => subject)
        .filter((subject) => !subject.startsWith('Access to '))
        .sort();
    const epic = (fields: object, token = planner.token) =>
      server.must(`POST /groups/${group.id}/epics`, { token, json: fields });
    const say = (id: number, body: string, fields: object = {}, token = planner.token) =>
      server.must(`POST /groups/${group.id}/epics/${id}/notes`, { token, json: { body, ...fields } });
    const watch = (person: Person, settings: object) =>
      server.must(`PUT /groups/${group.id}/notification_settings`, { token: person.token, json: settings });

    before(async () => {
      server = await startTestServer(engine, ['--incoming-mail-address', address]);
      group = await server.must('POST /groups', { json: { name: 'Works', path: 'works', visibility: 'private' } });
      planner = await addUser(server, 'planner');
      member = await addUser(server, 'member');
      stranger = await addUser(server, 'stranger');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: planner.id, access_level: 30 } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: member.id, access_level: 10 } });
    });

    it('go to mentioned users who can read the epic, in one thread', async () => {
      const description = `For @${member.username} and @${stranger.username} <b>`;
      const { id, iid } = await epic({ title: 'Roads', description });
      const first = await emailWith(server, mailOf(member), 'Works | Roads (&1)');
      assert.equal(first.subject, `Works | Roads (&${iid})`);
      assert.match(first.text, /opened &1\./);
      assert.match(first.raw, /&lt;b&gt;/);
      assert.match(first.text, new RegExp(`/groups/works/-/epics/${iid}\\n`));
      assert.match(first.raw, new RegExp(`List-ID: works <group-${group.id}\\.`));
      await say(id, `Where, @${member.username}?`);
      const second = await emailWith(server, mailOf(member), 'Where, ');
      assert.equal(second.subject, `Re: Works | Roads (&${iid})`);
      assert.match(second.raw, new RegExp(`In-Reply-To: <Epic-${id}@`));
      assert.match(second.text, /epics\/1#note_\d+/);
      await say(id, `Not for guests, @${member.username}`, { internal: true });
      await epic({ title: 'Hidden', description: `@${member.username}`, confidential: true });
      await settled(server);
      assert.deepEqual(await subjectsTo(member), ['Re: Works | Roads (&1)', 'Works | Roads (&1)']);
      assert.deepEqual(await subjectsTo(stranger), []);
      assert.deepEqual(await subjectsTo(planner), []);
    });

    it('go to users who watch the group, subject to their settings', async () => {
      const ways = [
        { name: 'watcher', settings: { level: 'watch' }, heard: ['opened', 'closed', 'commented'] },
        { name: 'chooser', settings: { level: 'custom', new_epic: true }, heard: ['opened'] },
        { name: 'noter', settings: { level: 'custom', new_note: true }, heard: ['commented'] },
        { name: 'mentioned', settings: { level: 'mention' }, heard: [] },
        { name: 'nobody', settings: { level: 'disabled' }, heard: [] },
      ];
      const people: Person[] = [];
      for (const { name, settings } of ways) {
        const person = await addUser(server, name);
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id: person.id, access_level: 20 } });
        await watch(person, settings);
        people.push(person);
      }
      const everywhere = await addUser(server, 'everywhere');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: everywhere.id, access_level: 20 } });
      await server.must('PUT /notification_settings', { token: everywhere.token, json: { level: 'watch' } });
      await server.must('PUT /notification_settings', { token: stranger.token, json: { level: 'watch' } });

      const { id, iid } = await epic({ title: 'Bridges' });
      await say(id, 'Said something');
      await server.must(`PUT /groups/${group.id}/epics/${iid}`, {
        token: planner.token,
        json: { state_event: 'close' },
      });
      await server.must(`PUT /groups/${group.id}/epics/${iid}`, { token: planner.token, json: { title: 'Bridges!' } });
      await settled(server);
      const verbs = async (person: Person) =>
        (await emailsTo(server, mailOf(person)))
          .filter(({ subject }) => subject.includes('Bridges'))
          .map(({ text }) => /(opened|closed|commented)/.exec(text)?.[0])
          .sort();
      for (const [at, { name, heard }] of ways.entries()) {
        assert.deepEqual(await verbs(people[at] as Person), [...heard].sort(), name);
      }
      assert.deepEqual(await verbs(everywhere), ['closed', 'commented', 'opened']);
      assert.deepEqual(await verbs(stranger), []);
    });

    it('go to subscribers until they unsubscribe by link or header', async () => {
      const { id, iid } = await epic({ title: 'Walls' });
      await settled(server);
      await say(id, '/subscribe', {}, member.token);
      await say(id, 'First stone');
      const message = await emailWith(server, mailOf(member), 'First stone');
      const [, url = ''] = /^List-Unsubscribe:\s*<([^>]+)>/m.exec(message.raw) ?? [];
      assert.match(message.text.replaceAll('\n', ''), /Unsubscribe: http/);
      const path = new URL(url).pathname;
      const asked = await server.running.app.inject({ method: 'GET', url: path });
      assert.match(asked.body, /No more emails about Works \| Walls \(&amp;\d\)/);
      const ended = await server.running.app.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'List-Unsubscribe=One-Click',
      });
      assert.equal(ended.statusCode, 200);
      const seen = await server.must(`GET /groups/${group.id}/epics/${iid}`, { token: member.token });
      assert.equal(seen.subscribed, false);
      await say(id, `Second stone, @${member.username}`);
      await settled(server);
      const heard = (await emailsTo(server, mailOf(member))).filter(({ subject }) => subject.includes('Walls'));
      assert.deepEqual(
        heard.map(({ text }) => text.split('\n')[2]),
        ['First stone'],
      );
    });

    it('accept replies as long as the epic is readable', async () => {
      const { id, iid } = await epic({ title: 'Gates', description: `@${member.username}` });
      const opened = await emailWith(server, mailOf(member), 'Gates');
      const notes = `GET /groups/${group.id}/epics/${id}/notes?sort=asc&activity_filter=only_comments`;
      const said = async () =>
        (await server.must(notes, { token: planner.token })).map(({ body }: { body: string }) => body);
      await post(server, message(opened.replyTo ?? '', 'Of iron.'));
      assert.deepEqual(await said(), ['Of iron.']);
      const thread = await emailWith(server, mailOf(planner), 'Of iron.');
      await post(server, message(thread.replyTo ?? '', 'Of wood.'));
      const discussions = await server.must(`GET /groups/${group.id}/epics/${id}/discussions`, {
        token: planner.token,
      });
      assert.deepEqual(
        discussions.at(-1).notes.map(({ body }: { body: string }) => body),
        ['Of iron.', 'Of wood.'],
      );
      await post(server, message(thread.replyTo ?? '', '/close'));
      assert.equal(
        (await server.must(`GET /groups/${group.id}/epics/${iid}`, { token: planner.token })).state,
        'closed',
      );
      await server.must(`DELETE /groups/${group.id}/members/${member.id}`);
      await post(server, message(opened.replyTo ?? '', 'From outside.'));
      assert.equal((await said()).includes('From outside.'), false);
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: member.id, access_level: 10 } });
    });

    it('accept replies with attachments, which are uploaded to the group', async () => {
      const { id } = await epic({ title: 'Drawings', description: `@${member.username}` });
      const { replyTo } = await emailWith(server, mailOf(member), 'Drawings');
      const body = [
        '--b\r\nContent-Type: text/plain\r\n\r\nSee there\r\n',
        '--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="gate.txt"\r\n\r\nof iron\r\n',
        '--b--',
      ].join('');
      await post(server, message(replyTo ?? '', '', { 'Content-Type': 'multipart/mixed; boundary=b' }) + body);
      const [said] = await server.must(`GET /groups/${group.id}/epics/${id}/notes`, { token: planner.token });
      const [, url] = /^See there\n\n\[gate\.txt\]\((\/uploads\/[0-9a-f]{32}\/gate\.txt)\)$/.exec(said.body) ?? [];
      const file = `GET /groups/${group.id}${url}`;
      assert.match(await server.must(file, { token: planner.token }), /^of iron\s*$/, said.body);
      assert.equal((await server.api(file, { token: stranger.token })).status, 404);
    });

    it('are not sent if e-mails are disabled in the group or an ancestor', async () => {
      const json = { name: 'Inner', path: 'inner', parent_id: group.id, visibility: 'private' };
      const inner = await server.must('POST /groups', { json });
      await server.must(`PUT /groups/${group.id}`, { json: { emails_enabled: false } });
      const at = { token: planner.token };
      await server.must(`POST /groups/${inner.id}/epics`, {
        ...at,
        json: { title: 'Quiet', description: `@${member.username}` },
      });
      await epic({ title: 'Silent', description: `@${member.username}` });
      await settled(server);
      const heard = (await subjectsTo(member)).filter((subject) => /Quiet|Silent/.test(subject));
      assert.deepEqual(heard, []);
    });
  });
});
