import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { announceExpiring } from '../../../src/people/tokens/expiring.ts';
import { sshKeys } from '../../people/keys/specimens.ts';
import { atEnd } from '../../support/at-end.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** An SMTP server that accepts everything. */
async function startMailServer() {
  const messages: string[] = [];
  const server = createServer((socket: Socket) => {
    let data: string | undefined;
    let pending = '';
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 ready');
    socket.setEncoding('utf8').on('data', (chunk) => {
      pending += chunk;
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (data !== undefined) {
          if (line === '.') {
            messages.push(data);
            data = undefined;
            say('250 taken');
          } else data += `${line}\n`;
        } else if (line === 'DATA') {
          data = '';
          say('354 go on');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else say('250 fine');
      }
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.close();
  });
  return { messages, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

forEachEngine((engine) => {
  describe('notification e-mails', () => {
    let server: TestServer;
    let project: { id: number };
    let reader: { id: number; username: string; token: string };

    const emailsTo = async (address: string) => {
      const folder = join(server.running.services.config.data, 'mail');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      const messages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return messages.filter((message) => message.includes(`To: ${address}`));
    };

    before(async () => {
      server = await startTestServer(engine);
      project = await server.must('POST /projects', { json: { name: 'Project', visibility: 'private' } });
      reader = await addUser(server, 'reader');
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: reader.id, access_level: 20 } });
    });

    it('go to invited addresses and to owners of added keys', async () => {
      await server.must(`POST /projects/${project.id}/invitations`, {
        json: { email: 'new@example.com', access_level: 30 },
      });
      await until(async () => (await emailsTo('new@example.com')).length === 1);
      const [message = ''] = await emailsTo('new@example.com');
      assert.match(message, /Subject: Administrator invited you to /);
      assert.match(message, /text\/html/);
      await server.must('POST /user/keys', {
        token: reader.token,
        json: { title: 'laptop', key: sshKeys.ed25519.text },
      });
      await until(async () => (await emailsTo(`${reader.username}@example.com`)).length === 1);
    });

    it('go to participants with read access, in one thread', async () => {
      const address = `${reader.username}@example.com`;
      const about = async (subject: string) =>
        (await emailsTo(address)).filter((message) => message.includes(`Subject: ${subject}`));
      const issues = `/projects/${project.id}/issues`;
      const issue = await server.must(`POST ${issues}`, { json: { title: 'Leak', assignee_ids: [reader.id] } });
      await until(async () => (await about('Project | Leak (#1)')).length === 1);
      await server.must(`POST ${issues}/${issue.iid}/notes`, { json: { body: 'See <script>' } });
      await until(async () => (await about('Re: Project | Leak (#1)')).length === 1);
      const [reply = ''] = await about('Re: Project | Leak (#1)');
      assert.match(reply, new RegExp(`In-Reply-To: <Issue-${issue.id}@`));
      assert.match(reply, /See &lt;script&gt;/);
      assert.equal((await emailsTo('admin@example.com')).length, 0);

      await server.must(`POST ${issues}/${issue.iid}/unsubscribe`, { token: reader.token });
      await server.must(`POST ${issues}/${issue.iid}/notes`, { json: { body: 'Unheard' } });
      const other = await server.must(`POST ${issues}`, { json: { title: 'Other', assignee_ids: [reader.id] } });
      await until(async () => (await about('Project | Other (#2)')).length === 1);
      assert.equal((await about('Re: Project | Leak (#1)')).length, 1);

      await server.must(`PUT /projects/${project.id}`, { json: { emails_enabled: false } });
      await server.must(`POST ${issues}/${other.iid}/notes`, { json: { body: 'Silent' } });
      const loud = await server.must('POST /projects', { json: { name: 'Loud', visibility: 'public' } });
      await server.must(`POST /projects/${loud.id}/issues`, { json: { title: 'Heard', assignee_ids: [reader.id] } });
      await until(async () => (await about('Loud | Heard (#1)')).length === 1);
      assert.equal((await about('Re: Project | Other (#2)')).length, 0);
    });

    it('contain all notes of a review', async () => {
      const about = async () =>
        (await emailsTo(`${reader.username}@example.com`)).filter((message) =>
          message.includes('Subject: Re: Reviewed | Parts (!1)'),
        );
      const { id } = await server.must('POST /projects', {
        json: { name: 'Reviewed', visibility: 'public', initialize_with_readme: true },
      });
      const requests = `/projects/${id}/merge_requests`;
      const json = { title: 'Parts', source_branch: 'later', target_branch: 'main', assignee_ids: [reader.id] };
      await server.must(`POST ${requests}`, { json });
      for (const note of ['First part', 'Second part']) {
        await server.must(`POST ${requests}/1/draft_notes`, { json: { note } });
      }
      await server.must(`POST ${requests}/1/draft_notes/bulk_publish`);
      await until(async () => (await about()).length > 0);
      await server.must(`POST ${requests}/1/notes`, { json: { body: 'On its own' } });
      await until(async () => (await about()).some((message) => message.includes('On its own')));
      const messages = await about();
      assert.equal(messages.length, 2);
      assert.ok(messages.some((message) => /left review comments[\s\S]*First part[\s\S]*Second part/.test(message)));
      const notes = await server.must(`GET ${requests}/1/notes?activity_filter=only_activity`);
      assert.equal(notes[0].body, 'left review comments');
    });

    it('respect notification levels and addresses', async () => {
      const loud = await server.must('POST /projects', { json: { name: 'Chosen', visibility: 'public' } });
      const issues = `/projects/${loud.id}/issues`;
      const choose = (json: object) =>
        server.must(`PUT /projects/${loud.id}/notification_settings`, { json, token: reader.token });
      const titles = async () => {
        const messages = await emailsTo(`${reader.username}@example.com`);
        return messages.flatMap((message) => /Subject: Chosen \| (\w+)/.exec(message)?.[1] ?? []).sort();
      };
      const told = async () =>
        (await server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'mail.notify').execute()).length === 0;
      // Recipients are determined in the background, with the settings at that time.
      const open = async (title: string, json: object = {}) => {
        await server.must(`POST ${issues}`, { json: { title, ...json } });
        await until(told);
      };
      await open('Unasked');
      await open('Named', { description: `@${reader.username} look` });
      await until(async () => (await titles()).includes('Named'));
      await choose({ level: 'disabled' });
      await open('Disabled', { assignee_ids: [reader.id] });
      await choose({ level: 'mention' });
      await open('Assigned', { assignee_ids: [reader.id] });
      await choose({ level: 'watch' });
      await open('Watched');
      await until(async () => (await titles()).includes('Watched'));
      await choose({ level: 'custom', new_issue: true });
      await open('Custom');
      await until(async () => (await titles()).includes('Custom'));
      assert.deepEqual(await titles(), ['Custom', 'Named', 'Watched']);
    });

    it('go to watchers of groups and global watchers, and enqueue nothing without recipients', async () => {
      const group = await server.must('POST /groups', {
        json: { name: 'Watching', path: 'watching', visibility: 'public' },
      });
      const { id } = await server.must('POST /projects', { json: { name: 'Watching', namespace_id: group.id } });
      const watcher = await addUser(server, 'watcher');
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: watcher.id, access_level: 20 } });
      const choose = (place: string, level: string) =>
        server.must(`PUT ${place}/notification_settings`, { json: { level }, token: watcher.token });
      const waiting = async () =>
        (await server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'mail.notify').execute()).length;
      const seeking = (json: object) =>
        server.undisturbed(async () => {
          const before = await waiting();
          await server.must(`POST /projects/${id}/issues`, { json });
          return (await waiting()) - before;
        });
      const told = (title: string) =>
        until(async () =>
          (await emailsTo(`${watcher.username}@example.com`)).some((message) =>
            message.includes(`Subject: Watching | ${title}`),
          ),
        );
      assert.equal(await seeking({ title: 'Alone', description: 'Nobody else is concerned.' }), 0);
      assert.equal(await seeking({ title: 'Called', description: `&#64;${watcher.username}` }), 1);
      assert.equal(await seeking({ title: 'Assigned', assignee_ids: [watcher.id] }), 1);
      await choose(`/groups/${group.id}`, 'watch');
      assert.equal(await seeking({ title: 'Grouped' }), 1);
      await told('Grouped');
      await choose(`/groups/${group.id}`, 'global');
      await choose('', 'watch');
      assert.equal(await seeking({ title: 'Everywhere' }), 1);
      await told('Everywhere');
      await server.must(`DELETE /groups/${group.id}/members/${watcher.id}`);
      assert.equal(await seeking({ title: 'Left' }), 0);
      const issue = await server.must(`POST /projects/${id}/issues`, { json: { title: 'Followed' } });
      await server.must(`PUT /projects/${id}`, { json: { visibility: 'public' } });
      await server.must(`POST /projects/${id}/issues/${issue.iid}/subscribe`, { token: watcher.token });
      await server.must(`PUT /projects/${id}/issues/${issue.iid}`, { json: { state_event: 'close' } });
      await until(async () =>
        (await emailsTo(`${watcher.username}@example.com`)).some((message) =>
          message.includes('Subject: Re: Watching | Followed'),
        ),
      );
    });

    it('warn once each of tokens that expire in sixty, thirty and seven days', async () => {
      const day = 86_400_000;
      const expires_at = new Date(Date.now() + 90 * day).toISOString().slice(0, 10);
      const token = { name: 'deploy', scopes: ['api'], expires_at };
      await server.must(`POST /users/${reader.id}/personal_access_tokens`, { json: token });
      const noisy = await server.must('POST /projects', { json: { name: 'Tokens' } });
      await server.must(`POST /projects/${noisy.id}/members`, { json: { user_id: reader.id, access_level: 40 } });
      await server.must(`POST /projects/${noisy.id}/access_tokens`, { json: { ...token, name: 'robot' } });
      const quiet = await server.must('POST /projects', { json: { name: 'Quiet', emails_enabled: false } });
      await server.must(`POST /projects/${quiet.id}/members`, { json: { user_id: reader.id, access_level: 40 } });
      await server.must(`POST /projects/${quiet.id}/access_tokens`, { json: { ...token, name: 'unheard' } });
      const { services } = server.running;
      const { signal } = new AbortController();
      const ends = Date.parse(`${expires_at}T00:00:00Z`);
      const warned = async () => {
        const messages = await emailsTo(`${reader.username}@example.com`);
        return messages.filter((message) => /Subject: An access token/.test(message));
      };
      const days = async () =>
        (await warned()).flatMap((message) => /expires in (\d+)\s+days/.exec(message)?.[1] ?? []).sort();
      for (const [left, count] of [
        [70, 0],
        [59, 2],
        [59, 2],
        [31, 2],
        [20, 4],
        [6, 6],
        [1, 6],
      ] as const) {
        await announceExpiring(services, signal, ends - left * day);
        await until(async () => (await warned()).length >= count);
        assert.equal((await warned()).length, count);
      }
      assert.deepEqual(await days(), ['30', '30', '60', '60', '7', '7']);
      assert.ok((await warned()).some((message) => message.includes('robot')));
      assert.ok((await warned()).every((message) => !message.includes('unheard')));
    });

    it('warn inherited members of expiring tokens if the instance setting is on', async () => {
      const day = 86_400_000;
      const keeper = await addUser(server);
      const top = await server.must('POST /groups', { json: { name: 'Above', path: 'above' } });
      const low = await server.must('POST /groups', { json: { name: 'Low', path: 'low', parent_id: top.id } });
      const project = await server.must('POST /projects', { json: { name: 'Bots', namespace_id: low.id } });
      await server.must(`POST /groups/${top.id}/members`, { json: { user_id: keeper.id, access_level: 50 } });
      const expires_at = new Date(Date.now() + 5 * day).toISOString().slice(0, 10);
      const { signal } = new AbortController();
      const warned = async () => {
        const messages = await emailsTo(`${keeper.username}@example.com`);
        return messages.flatMap((message) => /The access token "(\w+)"/.exec(message)?.[1] ?? []).sort();
      };
      const { services } = server.running;
      for (const [inherited, expected] of [
        [false, []],
        [true, ['group_true', 'project_true']],
      ] as const) {
        await server.must('PUT /application/settings', { json: { resource_access_token_notify_inherited: inherited } });
        for (const [kind, place] of [
          ['group', `/groups/${low.id}`],
          ['project', `/projects/${project.id}`],
        ]) {
          const json = { name: `${kind}_${inherited}`, scopes: ['api'], expires_at };
          await server.must(`POST ${place}/access_tokens`, { json });
        }
        await announceExpiring(services, signal);
        await services.queue.drain();
        await until(async () => (await warned()).length >= expected.length);
        assert.deepEqual(await warned(), expected);
      }
      await server.must('PUT /application/settings', { json: { resource_access_token_notify_inherited: false } });
    });

    const linkIn = (message: string, part: string) => {
      const whole = message.replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '=');
      return new RegExp(`${server.url}/\\S*?${part}[\\w%.=?-]*`).exec(whole)?.[0] ?? '';
    };

    it('ask for confirmation of an address before it is used', async () => {
      const created = await server.must('POST /users', {
        json: { username: 'unsure', name: 'Un\nsure', email: 'unsure@example.com', force_random_password: true },
      });
      assert.equal(created.confirmed_at, null);
      await until(async () => (await emailsTo('unsure@example.com')).length === 1);
      const [message = ''] = await emailsTo('unsure@example.com');
      const link = linkIn(message, 'users/confirmation');
      const confirmed = async () => (await server.must(`GET /users/${created.id}`)).confirmed_at !== null;
      assert.match(await (await fetch(link)).text(), /unsure@example\.com your email address/);
      assert.equal(await confirmed(), false, 'GET does not confirm');
      for (const wrong of [`${link}x`, link.replace(/token=.*/, 'token=v1.x.y'), link.replace(/\?.*/, '')]) {
        assert.equal((await fetch(wrong, { method: 'POST' })).status, 404);
      }
      assert.equal(await confirmed(), false);
      for (let i = 0; i < 2; i++) assert.equal((await fetch(link, { method: 'POST' })).status, 200);
      assert.equal(await confirmed(), true);
      await server.must(`PUT /users/${created.id}`, { json: { email: 'sure@example.com' } });
      await until(async () => (await emailsTo('sure@example.com')).length === 1);
      const moving = linkIn((await emailsTo('sure@example.com'))[0] ?? '', 'users/confirmation');
      assert.equal((await fetch(moving, { method: 'POST' })).status, 200);
      assert.equal((await server.must(`GET /users/${created.id}`)).email, 'sure@example.com');
      const further = await server.must(`POST /users/${created.id}/emails`, { json: { email: 'third@example.com' } });
      assert.equal(further.confirmed_at, null);
      await until(async () => (await emailsTo('third@example.com')).length === 1);
      const third = linkIn((await emailsTo('third@example.com'))[0] ?? '', 'users/confirmation');
      assert.equal((await fetch(third, { method: 'POST' })).status, 200);
      assert.notEqual((await server.must(`GET /users/${created.id}/emails/${further.id}`)).confirmed_at, null);
      const told = async (address: string, words: RegExp) =>
        (await emailsTo(address)).some((each) => words.test(each.replaceAll('=\r\n', '')));
      await until(() => told('unsure@example.com', /was changed to sure@example\.com/));
      await until(() => told('sure@example.com', /The address third@example\.com was added to your account/));
    });

    it('tell the owner of a token that somebody else revoked it', async () => {
      const owner = await addUser(server);
      const tokens = `/users/${owner.id}/personal_access_tokens`;
      const json = { name: 'doomed', scopes: ['api'] };
      const own = await server.must(`POST ${tokens}`, { json: { ...json, name: 'own' } });
      const other = await server.must(`POST ${tokens}`, { json });
      await server.must(`DELETE /personal_access_tokens/${own.id}`, { token: owner.token });
      await server.must(`DELETE /personal_access_tokens/${other.id}`);
      const address = `${owner.username}@example.com`;
      await until(async () => (await emailsTo(address)).length > 0);
      const messages = (await emailsTo(address)).map((each) => each.replaceAll('=\r\n', ''));
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? '', /The token "doomed" of your account @\S+ was revoked by Administrator \(@root\)/);
    });

    it('stop after unsubscribing by link without signing in', async () => {
      const shop = await server.must('POST /projects', { json: { name: 'Shop', visibility: 'public' } });
      const issue = await server.must(`POST /projects/${shop.id}/issues`, {
        json: { title: 'Till\r\nBcc: all@example.com', assignee_ids: [reader.id] },
      });
      const about = async () =>
        (await emailsTo(`${reader.username}@example.com`)).filter((message) => message.includes('Shop | Till'));
      await until(async () => (await about()).length === 1);
      const [message = ''] = await about();
      assert.doesNotMatch(message, /^Bcc:/m);
      assert.match(message, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
      const header = /^List-Unsubscribe:([\s\S]*?)\r?\n\S/m.exec(message)?.[1]?.replace(/[<>\s]/g, '') ?? '';
      assert.match(header, /\/-\/sent_notifications\/[^/]+\/unsubscribe$/);
      const heard = async () =>
        (await server.must(`GET /projects/${shop.id}/issues/${issue.iid}`, { token: reader.token })).subscribed;
      assert.match(await (await fetch(header)).text(), /<button/);
      assert.equal(await heard(), true, 'GET does not unsubscribe');
      assert.equal((await fetch(header.replace('/unsubscribe', 'x/unsubscribe'), { method: 'POST' })).status, 404);
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
      assert.equal((await fetch(header, { method: 'POST', body })).status, 200);
      assert.equal(await heard(), false);
    });

    it('contain the additional text, respect the plain text setting, and are not sent in silent mode', async () => {
      const set = (json: object) => server.must('PUT /application/settings', { json });
      const invite = (email: string) =>
        server.must(`POST /projects/${project.id}/invitations`, { json: { email, access_level: 30 } });
      const waiting = async () =>
        (await server.db.read.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute()).length;
      await set({ email_additional_text: 'Sent <from> the zoo', html_emails_enabled: true });
      await invite('added@example.com');
      await until(async () => (await emailsTo('added@example.com')).length === 1);
      // Removes quoted-printable soft line breaks.
      const unfolded = (message: string | undefined) => (message ?? '').replaceAll('=\r\n', '');
      const both = unfolded((await emailsTo('added@example.com'))[0]);
      assert.match(both, /Sent <from> the zoo/);
      assert.match(both, /Sent &lt;from&gt; the zoo/);
      await set({ html_emails_enabled: false });
      await invite('plain@example.com');
      await until(async () => (await emailsTo('plain@example.com')).length === 1);
      const plain = unfolded((await emailsTo('plain@example.com'))[0]);
      assert.match(plain, /Sent <from> the zoo/);
      assert.doesNotMatch(plain, /text\/html/);
      await set({ silent_mode_enabled: true, html_emails_enabled: true, email_additional_text: null });
      await until(async () => (await waiting()) === 0);
      await invite('silent@example.com');
      await until(async () => (await waiting()) === 0);
      assert.deepEqual(await emailsTo('silent@example.com'), []);
      await set({ silent_mode_enabled: false });
      await invite('loud@example.com');
      await until(async () => (await emailsTo('loud@example.com')).length === 1);
      assert.deepEqual(await emailsTo('silent@example.com'), []);
    });

    it('are sent through the configured SMTP server', async () => {
      const mailServer = await startMailServer();
      const sending = await startTestServer(engine, ['--smtp-url', mailServer.url, '--mail-from', 'forge@example.com']);
      const group = await sending.must('POST /groups', { json: { name: 'Group', path: 'group' } });
      const json = { email: 'far@example.com', access_level: 30 };
      await sending.must(`POST /groups/${group.id}/invitations`, { json });
      await until(() => mailServer.messages.length === 1);
      assert.match(mailServer.messages[0] ?? '', /From: forge@example\.com[\s\S]*To: far@example\.com/);
    });
  });
});
