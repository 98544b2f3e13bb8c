import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMail, type Email } from '../../../src/platform/mail/mail.ts';

async function sent(message: Partial<Email>): Promise<string> {
  const outbox = await mkdtemp(join(tmpdir(), 'hearth-mail-'));
  try {
    const send = createMail({ from: 'Forge <forge@example.com>', outbox });
    await send({ to: 'one@example.com', subject: 'Subject', text: 'Text', id: 'id@example.com', ...message });
    const [name = ''] = (await readdir(outbox)).filter((file) => file.endsWith('.eml'));
    return await readFile(join(outbox, name), 'utf8');
  } finally {
    await rm(outbox, { recursive: true });
  }
}

const headOf = (message: string) => message.split('\r\n\r\n')[0] ?? '';
const namesIn = (head: string) => head.split('\r\n').flatMap((line) => /^([\w-]+):/.exec(line)?.[1] ?? []);

describe('an email', () => {
  const breaks = ['\r\n', '\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0', '=?utf-8?q?=0D=0A?='];
  for (const line of breaks) {
    it(`has no header that a name with ${JSON.stringify(line)} would add`, async () => {
      const text = `Eve${line}Bcc: eve@example.com${line}X-Eve: 1`;
      const head = headOf(await sent({ subject: text, headers: { 'List-Id': `${text} <1.example.com>` } }));
      const expected = ['List-ID', 'From', 'To', 'Subject', 'Message-ID', 'Date', 'MIME-Version'];
      const always = ['Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted', 'X-Auto-Response-Suppress'];
      for (const name of namesIn(head)) assert.ok([...expected, ...always].includes(name), head);
      assert.equal(head.match(/^Subject:/gm)?.length, 1);
    });
  }

  it('goes to one address, whatever stands in it', async () => {
    const message = await sent({ to: 'one@example.com, two@example.com' });
    assert.equal(/^To: one@example\.com, two@example\.com/m.test(message), false, message);
  });

  it('is answered to one address, whatever stands in it, and by no program', async () => {
    const message = await sent({ replyTo: 'in+key@example.com' });
    assert.match(message, /^Reply-To: in\+key@example\.com\r$/m);
    assert.match(message, /^Auto-Submitted: auto-generated\r$/m);
    assert.equal(
      /^Reply-To: a@example\.com, b@example\.com/m.test(await sent({ replyTo: 'a@example.com, b@example.com' })),
      false,
    );
  });

  it('says a word in code as it was typed', async () => {
    const typed = `=?utf-8?q?Your_bank?= ${'ü'.repeat(30)} 𠮷`;
    const head = headOf(await sent({ subject: typed })).replace(/\r\n /g, ' ');
    const [, value = ''] = /^Subject: (.*)$/m.exec(head) ?? [];
    const words = value.split(' ').map((word) => /^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? '');
    assert.equal(words.map((word) => Buffer.from(word, 'base64').toString('utf8')).join(''), typed);
    for (const word of value.split(' ')) assert.ok(word.length <= 75);
  });

  for (const messages of ['x', 'ü', '𠮷', '=?', '"', '<a@b.c>, ']) {
    it(`has no line that is too long for mail with ${messages} three thousand times`, async () => {
      const message = await sent({ subject: messages.repeat(3000), text: messages.repeat(3000) });
      for (const line of message.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998);
    });
  }
});
