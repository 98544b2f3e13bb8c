import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { storeMessage } from '../../../src/integrations/incoming-mail/public.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { acceptTerms, enforceTerms } from '../../support/terms.ts';
import { address, emailsTo, emailWith, message, post, settled } from './post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('replies to notification e-mails', () => {
    let server: TestServer;
    let project: { id: number };
    let reader: Person;
    let email: string;

    /** Creates an issue that the reader is notified of, and returns the reply address. */
    const told = async (title: string, fields: object = {}) => {
      const json = { title, assignee_ids: [reader.id], ...fields };
      const { iid } = await server.must(`POST /projects/${project.id}/issues`, { json });
      const { replyTo = '' } = await emailWith(server, email, title);
      return { issue: `/projects/${project.id}/issues/${iid}`, replyTo };
    };
    const notesOf = (item: string) => server.must(`GET ${item}/notes?sort=asc&activity_filter=only_comments`);
    const notesOn = async (item: string): Promise<string[]> =>
      (await notesOf(item)).map(({ body }: { body: string }) => body);

    before(async () => {
      server = await startTestServer(engine, ['--incoming-mail-address', address]);
      project = await server.must('POST /projects', { json: { name: 'Project', visibility: 'private' } });
      reader = await addUser(server, 'reader');
      email = `${reader.username}@example.com`;
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: reader.id, access_level: 30 } });
    });

    it('create a note by the recipient of the notification, regardless of the From header', async () => {
      const { issue, replyTo } = await told('Leak');
      assert.match(replyTo, /^incoming\+[a-z2-7]{20,50}@mail\.example\.com$/);
      const quoted = '\n\nOn Mon, 5 Jan 2026 at 10:00, Ann <a@example.com> wrote:\n> Leak\n';
      await post(server, message(`Forge <${replyTo.toUpperCase()}>`, `It does.${quoted}`));
      const [note] = await notesOf(issue);
      assert.equal(note.body, 'It does.');
      assert.equal(note.author.id, reader.id);
      assert.deepEqual(await emailsTo(server, 'somebody@elsewhere.example'), []);
    });

    it('create a note on a snippet if the user can read it', async () => {
      const json = { title: 'Recipe', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a' }] };
      const created = await server.must(`POST /projects/${project.id}/snippets`, { token: reader.token, json });
      const snippet = `/projects/${project.id}/snippets/${created.id}`;
      const passer = await addUser(server, 'passer');
      const body = `Less salt, @${passer.username}`;
      await server.must(`POST ${snippet}/notes`, { json: { body } });
      const { replyTo = '', subject } = await emailWith(server, email, 'Less salt');
      assert.equal(subject, `Re: Project | Recipe ($${created.id})`);
      assert.deepEqual(await emailsTo(server, `${passer.username}@example.com`), []);
      await post(server, message(replyTo, 'More salt.'));
      assert.deepEqual(await notesOn(snippet), [body, 'More salt.']);
      await server.must(`DELETE ${snippet}`);
      await post(server, message(replyTo, 'No salt.'));
      await emailWith(server, email, 'was deleted');
    });

    it('are recognized by headers that mail servers add', async () => {
      const { issue, replyTo } = await told('Hidden copy');
      await post(server, message('list@example.com', 'By a list.', { 'Delivered-To': replyTo }));
      assert.deepEqual(await notesOn(issue), ['By a list.']);
    });

    it('are added to the discussion of the note, and stay internal', async () => {
      const { issue } = await told('Threads');
      const open = await server.must(`POST ${issue}/notes`, { json: { body: 'For everybody' } });
      const internal = await server.must(`POST ${issue}/notes`, { json: { body: 'For planners', internal: true } });
      const first = await emailWith(server, email, 'For everybody');
      const second = await emailWith(server, email, 'For planners');
      await post(server, message(first.replyTo ?? '', 'Answer to all'));
      await post(server, message(second.replyTo ?? '', 'Answer to planners'));
      const threads = await server.must(`GET ${issue}/discussions`);
      const bodies = threads.map(({ notes }: { notes: { body: string }[] }) => notes.map(({ body }) => body));
      assert.ok(bodies.some((said: string[]) => said.join() === 'For everybody,Answer to all'));
      assert.ok(bodies.some((said: string[]) => said.join() === 'For planners,Answer to planners'));
      const notes = await notesOf(issue);
      assert.equal(notes.find(({ body }: { body: string }) => body === 'Answer to planners').internal, true);
      await server.must(`DELETE ${issue}/notes/${internal.id}`);
      await post(server, message(second.replyTo ?? '', 'Too late'));
      await emailWith(server, email, 'The subject of the email was deleted');
      assert.equal((await notesOn(issue)).includes('Too late'), false);
      assert.notEqual(open.id, internal.id);
    });

    it('run quick actions with the permissions of the recipient', async () => {
      const { issue, replyTo } = await told('Commands');
      await post(server, message(replyTo, 'Done.\n\n/close\n/weight 3'));
      const { state, weight } = await server.must(`GET ${issue}`);
      assert.deepEqual({ state, weight }, { state: 'closed', weight: 3 });
      assert.deepEqual(await notesOn(issue), ['Done.']);
      await post(server, message(replyTo, '/reopen'));
      assert.equal((await server.must(`GET ${issue}`)).state, 'opened');
    });

    it('create notes on merge requests and commits', async () => {
      const json = { name: 'Code', visibility: 'private', initialize_with_readme: true };
      const { id } = await server.must('POST /projects', { json });
      await server.must(`POST /projects/${id}/members`, { json: { user_id: reader.id, access_level: 30 } });
      const { iid } = await server.must(`POST /projects/${id}/merge_requests`, {
        json: { title: 'Parts', source_branch: 'later', target_branch: 'main', assignee_ids: [reader.id] },
      });
      const request = await emailWith(server, email, 'Parts');
      await post(server, message(request.replyTo ?? '', 'Looks good'));
      assert.deepEqual(await notesOn(`/projects/${id}/merge_requests/${iid}`), ['Looks good']);
      const [{ id: sha }] = await server.must(`GET /projects/${id}/repository/commits`);
      const commit = `/projects/${id}/repository/commits/${sha}`;
      await server.must(`POST ${commit}/discussions`, { json: { body: `Why so, @${reader.username}?` } });
      const asked = await emailWith(server, email, 'Why so');
      await post(server, message(asked.replyTo ?? '', 'Because'));
      const [thread] = await server.must(`GET ${commit}/discussions`);
      assert.deepEqual(
        thread.notes.map(({ body }: { body: string }) => body.split(',')[0]),
        ['Why so', 'Because'],
      );
    });

    it('upload attachments', async () => {
      const { issue, replyTo } = await told('Files');
      const part = (type: string, body: string, more = '') => `--b\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
      const coded = (name: string) =>
        `Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="${name}"\r\n`;
      const content = Buffer.from('some bytes').toString('base64');
      const large = Buffer.alloc(1024 * 1024 + 1).toString('base64');
      await server.must('PUT /application/settings', { json: { max_attachment_size: 1 } });
      const body = `${part('text/plain', 'See there')}${part('text/plain', content, coded('../a [b].txt'))}${part(
        'application/zip',
        large,
        coded('large.zip'),
      )}${part('application/pgp-signature', 'signed')}--b--`;
      await post(server, message(replyTo, '', { 'Content-Type': 'multipart/mixed; boundary=b' }) + body);
      const [said = ''] = await notesOn(issue);
      const [, url = ''] =
        /^See there\n\n\[a__b_\.txt\]\((\/uploads\/[0-9a-f]{32}\/a__b_\.txt)\)\n\n\(large\.zip was left out\)$/.exec(
          said,
        ) ?? [];
      assert.equal(await server.must(`GET /projects/${project.id}${url}`), 'some bytes', said);
    });

    it('are decoded from any charset, and from HTML-only messages', async () => {
      const { issue, replyTo } = await told('Letters');
      const latin1 = { 'Content-Type': 'text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding': '8bit' };
      await post(server, Buffer.from(message(replyTo, 'Größe', latin1), 'latin1'));
      const quotedPrintable = { 'Content-Transfer-Encoding': 'quoted-printable' };
      await post(server, message(replyTo, 'na=C3=AFve =E2=82=AC and a long =\nline', quotedPrintable));
      const html = '<p>Bold <b>words</b></p><blockquote>Quoted</blockquote><div class="gmail_quote">More</div>';
      await post(server, message(replyTo, html, { 'Content-Type': 'text/html; charset=utf-8' }));
      await post(
        server,
        message(replyTo, 'No such \ufffd letters', { 'Content-Type': 'text/plain; charset=x-made-up' }),
      );
      const [first, second, third, fourth = ''] = await notesOn(issue);
      assert.deepEqual([first, second, third], ['Größe', 'naïve € and a long line', 'Bold words']);
      assert.match(fourth, /^No such .* letters$/);
    });

    it('are processed once despite duplicates and interruptions', async () => {
      const { issue, replyTo } = await told('Once');
      const raw = message(replyTo, 'Just once');
      const { services } = server.running;
      const source = 'a mailbox 1 7';
      for (const point of ['incoming-mail.kept', 'incoming-mail.queued']) {
        const disarm = armFault(point, () => {
          throw new Error('stopped');
        });
        const brought = storeMessage(services, { source, raw: Buffer.from(raw), oversized: false });
        await assert.rejects(brought, /stopped/);
        disarm();
      }
      await post(server, raw, source);
      // The same message from another source, concurrently.
      await Promise.all([post(server, raw), post(server, raw), post(server, raw)]);
      assert.deepEqual(await notesOn(issue), ['Just once']);
    });

    it('are rejected with a reason if empty or no longer allowed', async () => {
      const { issue, replyTo } = await told('Refused');
      await post(server, message(replyTo, '> nothing but a quote'));
      await emailWith(server, email, 'contains only quoted text');
      await post(server, message(replyTo, '/no_such_command'));
      assert.deepEqual(await notesOn(issue), ['/no_such_command']);
      const other = await addUser(server, 'member');
      const otherEmail = `${other.username}@example.com`;
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: other.id, access_level: 30 } });
      await server.must(`PUT ${issue}`, { json: { assignee_ids: [other.id] } });
      await server.must(`POST ${issue}/notes`, { json: { body: `Hear, @${other.username}` } });
      const heard = await emailWith(server, otherEmail, 'Hear, ');
      assert.notEqual(heard.replyTo, replyTo);
      await server.must(`DELETE /projects/${project.id}/members/${other.id}`);
      await post(server, message(heard.replyTo ?? '', 'Let me in'));
      await emailWith(server, otherEmail, 'you no longer have access to it');
      await server.must(`POST /users/${other.id}/block`);
      await post(server, message(heard.replyTo ?? '', 'I am blocked'));
      await emailWith(server, otherEmail, 'has been blocked');
      assert.equal((await notesOn(issue)).length, 2);
    });

    it('are rejected at altered, foreign or rotated addresses', async () => {
      const { issue, replyTo } = await told('Forged');
      const sender = 'forger@elsewhere.example';
      const [, key = ''] = /\+(.*)@/.exec(replyTo) ?? [];
      const changed = `${key.startsWith('b') ? 'c' : 'b'}${key.slice(1)}`;
      const cut = key.slice(0, -8);
      for (const forged of [changed, cut, '', 'a'.repeat(500), `${key}-issue`, '../../etc']) {
        await post(server, message(`incoming+${forged}@mail.example.com`, 'Forged', { From: sender }));
      }
      assert.match((await emailWith(server, sender, 'The address is invalid')).raw, /In-Reply-To: <message-/);
      await server.must('POST /user/incoming_email_token/rotate', { token: reader.token });
      await post(server, message(replyTo, 'Given up', { From: 'late@elsewhere.example' }));
      await emailWith(server, 'late@elsewhere.example', 'its token has been rotated');
      assert.deepEqual(await notesOn(issue), []);
      // At most five rejections per hour.
      assert.equal((await emailsTo(server, sender)).length, 5);
    });

    it('are ignored if generated automatically', async () => {
      const { issue, replyTo } = await told('Loops');
      const programs: Record<string, string>[] = [
        { 'Auto-Submitted': 'auto-replied' },
        { Precedence: 'bulk' },
        { 'Return-Path': '<>' },
        { 'X-Autoreply': 'yes' },
        { 'Content-Type': 'multipart/report; boundary=x' },
        { From: 'Hearth <hearth@localhost>' },
        { 'Message-ID': `<Issue-1-note-2@${new URL(server.url).hostname}>` },
      ];
      for (const headers of programs) {
        const from = { From: 'program@elsewhere.example', ...headers };
        await post(server, message(replyTo, 'I am away', from));
        await post(server, message('incoming+nothing@mail.example.com', 'I am away', from));
      }
      await post(
        server,
        message('incoming+nothing@mail.example.com', 'x', { From: 'l@elsewhere.example', 'List-Id': '<l>' }),
      );
      assert.deepEqual(await notesOn(issue), []);
      assert.deepEqual(await emailsTo(server, 'program@elsewhere.example'), []);
      assert.deepEqual(await emailsTo(server, 'l@elsewhere.example'), []);
      assert.deepEqual(await emailsTo(server, 'hearth@localhost'), []);
      const rejection = await emailWith(server, email, 'Loops');
      assert.match(rejection.raw, /Auto-Submitted: auto-generated/);
    });

    it('wait during maintenance mode and rate limiting', async () => {
      const { issue, replyTo } = await told('Later');
      const { services } = server.running;
      const reasons = [
        [{ maintenance_mode: true }, { maintenance_mode: false }],
        [{ notes_create_limit: 1 }, { notes_create_limit: 0 }],
      ];
      for (const [index, [during, after]] of reasons.entries()) {
        await server.must('PUT /application/settings', { json: during });
        if (index === 1) await post(server, message(replyTo, 'All that may be said'));
        const raw = Buffer.from(message(replyTo, `Waited ${index}`));
        await storeMessage(services, { source: `waits ${index}`, raw, oversized: false });
        await services.queue.drain();
        assert.equal((await notesOn(issue)).includes(`Waited ${index}`), false);
        await server.must('PUT /application/settings', { json: after });
        await services.db.write((trx) =>
          trx.updateTable('jobs').set({ run_at: Date.now() }).where('kind', '=', 'incoming-mail.process').execute(),
        );
        await services.queue.drain();
        await settled(server);
      }
      assert.deepEqual(await notesOn(issue), ['Waited 0', 'All that may be said', 'Waited 1']);
    });
  });

  describe('e-mail from a user who has not accepted the terms', () => {
    it('is rejected with the reason', async () => {
      const server = await startTestServer(engine, ['--incoming-mail-address', address]);
      const { id } = await server.must('POST /projects', { json: { name: 'Terms', visibility: 'private' } });
      const reader = await addUser(server, 'unread');
      const email = `${reader.username}@example.com`;
      await server.must(`POST /projects/${id}/members`, { json: { user_id: reader.id, access_level: 30 } });
      const { iid } = await server.must(`POST /projects/${id}/issues`, {
        json: { title: 'Terms apply', assignee_ids: [reader.id] },
      });
      const { replyTo = '' } = await emailWith(server, email, 'Terms apply');
      const opening = await server.must(`GET /projects/${id}/new_issue_address`, { token: reader.token });
      const said = async () => {
        const notes = await server.must(`GET /projects/${id}/issues/${iid}/notes?activity_filter=only_comments`);
        return [notes.length, (await server.must(`GET /projects/${id}/issues`)).length];
      };
      await enforceTerms(server);
      await post(server, message(replyTo, 'Not yet.'));
      await post(server, message(opening.address, 'Not yet.', { Subject: 'Too early' }));
      assert.deepEqual(await said(), [0, 1]);
      const why = await emailWith(server, email, 'You must accept the terms of use');
      assert.match(why.text, /\/-\/users\/terms/);
      await acceptTerms(server, reader.id);
      await post(server, message(replyTo, 'Now.'));
      await post(server, message(opening.address, 'Now.', { Subject: 'In time' }));
      assert.deepEqual(await said(), [1, 2]);
    });
  });

  describe('server without incoming mail', () => {
    it('offers no incoming addresses', async () => {
      const server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'Quiet' } });
      const reader = await addUser(server, 'quiet');
      await server.must(`POST /projects/${id}/members`, { json: { user_id: reader.id, access_level: 30 } });
      await server.must(`POST /projects/${id}/issues`, { json: { title: 'Quiet', assignee_ids: [reader.id] } });
      const { replyTo, text } = await emailWith(server, `${reader.username}@example.com`, 'Quiet');
      assert.equal(replyTo, undefined);
      assert.doesNotMatch(text, /Reply to this email/);
      assert.equal((await server.api(`GET /projects/${id}/new_issue_address`)).status, 404);
    });
  });
});
