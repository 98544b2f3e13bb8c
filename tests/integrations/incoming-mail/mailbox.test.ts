import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readMailbox } from '../../../src/platform/mail/mailbox.ts';
import { addUser } from '../../support/cast.ts';
import { Dovecot, noDovecot } from '../../support/dovecot.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { address, emailWith, message, settled } from './post.ts';

const never = new AbortController().signal;

describe('IMAP mailbox', { skip: noDovecot }, () => {
  let dovecot: Dovecot;
  before(async () => {
    dovecot = await Dovecot.start();
  });

  const bodies = async (
    url: string,
    settings: { readonly maxSize?: number; readonly ca?: string | undefined } = {},
  ) => {
    const found: string[] = [];
    const usual = { ca: dovecot.certificate, maxSize: 1_000_000 };
    await readMailbox({ url, ...usual, ...settings }, never, async ({ raw, whole }) => {
      found.push(`${whole ? 'whole' : 'part'} ${raw.length}`);
    });
    return found;
  };

  it('returns each message once, and only the beginning of a large one', async () => {
    const small = message('a@example.com', 'Small');
    const large = message('a@example.com', 'Large '.repeat(100_000));
    await dovecot.deliver(small);
    await dovecot.deliver(large);
    assert.deepEqual(await bodies(dovecot.url, { maxSize: 100_000 }), [`whole ${small.length}`, 'part 65536']);
    assert.deepEqual(await bodies(dovecot.plainUrl), []);
    assert.deepEqual(await dovecot.read(), [1, 2]);
  });

  it('leaves messages unread if handling fails', async () => {
    await dovecot.deliver(message('a@example.com', 'Third'));
    await dovecot.deliver(message('a@example.com', 'Fourth'));
    let taken = 0;
    const reading = readMailbox({ url: dovecot.plainUrl, ca: dovecot.certificate, maxSize: 1000 }, never, async () => {
      taken += 1;
      if (taken === 2) throw new Error('no room');
    });
    await assert.rejects(reading, /no room/);
    assert.equal((await bodies(dovecot.plainUrl)).length, 1);
  });

  it('is not read with a wrong password, an untrusted certificate, or after an abort', async () => {
    await assert.rejects(bodies(dovecot.url.replace('the_mailbox', 'not_the_mailbox')));
    await assert.rejects(bodies(dovecot.url, { ca: undefined }), /certificate/i);
    await assert.rejects(bodies(dovecot.url.replace('INBOX', 'None')));
    const stopped = new AbortController();
    await dovecot.deliver(message('a@example.com', 'Fifth'));
    const reading = readMailbox(
      { url: dovecot.url, ca: dovecot.certificate, maxSize: 1000 },
      stopped.signal,
      async () => {
        stopped.abort(new Error('stopping'));
      },
    );
    await assert.rejects(reading);
  });
});

forEachEngine((engine) => {
  describe('server with an IMAP mailbox', { skip: noDovecot }, () => {
    let dovecot: Dovecot;
    let server: TestServer;
    let project: { id: number };

    before(async () => {
      dovecot = await Dovecot.start();
      const settings = ['--imap-url', dovecot.url, '--imap-ca', dovecot.certificate, '--imap-poll', '5s'];
      const limits = ['--max-incoming-mail', '100KiB'];
      server = await startTestServer(engine, ['--incoming-mail-address', address, ...settings, ...limits]);
      project = await server.must('POST /projects', { json: { name: 'Project', visibility: 'private' } });
    });

    it('processes each message once, and rejects oversized ones without fetching them', async () => {
      const person = await addUser(server, 'writer');
      const email = `${person.username}@example.com`;
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: person.id, access_level: 30 } });
      const json = { title: 'Leak', assignee_ids: [person.id] };
      const { iid } = await server.must(`POST /projects/${project.id}/issues`, { json });
      const { replyTo = '' } = await emailWith(server, email, 'Leak');
      await dovecot.deliver(message(replyTo, 'By mail'));
      await dovecot.deliver(message(replyTo, 'Much '.repeat(50_000)));
      await until(async () => (await dovecot.read()).length === 2);
      await emailWith(server, email, 'larger than 100KiB');
      await settled(server);
      await dovecot.unread();
      await until(async () => (await dovecot.read()).length === 2);
      await settled(server);
      const notes = await server.must(`GET /projects/${project.id}/issues/${iid}/notes?activity_filter=only_comments`);
      assert.deepEqual(
        notes.map(({ body }: { body: string }) => body),
        ['By mail'],
      );
    });
  });
});
