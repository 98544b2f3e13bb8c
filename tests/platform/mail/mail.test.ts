import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMail, type Email } from '../../../src/platform/mail/mail.ts';

async function sentMessage(message: Partial<Email>): Promise<string> {
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

describe('emails', () => {
  const breaks = ['\r\n', '\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0', '=?utf-8?q?=0D=0A?='];
  for (const line of breaks) {
    it(`prevent header injection with ${JSON.stringify(line)}`, async () => {
      const text = `Eve${line}Bcc: eve@example.com${line}X-Eve: 1`;
      const head = headOf(await sentMessage({ subject: text, headers: { 'List-Id': `${text} <1.example.com>` } }));
      const expected = ['List-ID', 'From', 'To', 'Subject', 'Message-ID', 'Date', 'MIME-Version'];
      const always = ['Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted', 'X-Auto-Response-Suppress'];
      for (const name of namesIn(head)) assert.ok([...expected, ...always].includes(name), head);
      assert.equal(head.match(/^Subject:/gm)?.length, 1);
    });
  }

  it('have one recipient, whatever the address contains', async () => {
    const message = await sentMessage({ to: 'one@example.com, two@example.com' });
    assert.equal(/^To: one@example\.com, two@example\.com/m.test(message), false, message);
  });

  it('have one reply address and suppress automatic replies', async () => {
    const message = await sentMessage({ replyTo: 'in+key@example.com' });
    assert.match(message, /^Reply-To: in\+key@example\.com\r$/m);
    assert.match(message, /^Auto-Submitted: auto-generated\r$/m);
    assert.equal(
      /^Reply-To: a@example\.com, b@example\.com/m.test(await sentMessage({ replyTo: 'a@example.com, b@example.com' })),
      false,
    );
  });

  it('encode text that looks like an encoded word', async () => {
    const typed = `=?utf-8?q?Your_bank?= ${'ü'.repeat(30)} 𠮷`;
    const head = headOf(await sentMessage({ subject: typed })).replace(/\r\n /g, ' ');
    const [, value = ''] = /^Subject: (.*)$/m.exec(head) ?? [];
    const words = value.split(' ').map((word) => /^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? '');
    assert.equal(words.map((word) => Buffer.from(word, 'base64').toString('utf8')).join(''), typed);
    for (const word of value.split(' ')) assert.ok(word.length <= 75);
  });

  for (const piece of ['x', 'ü', '𠮷', '=?', '"', '<a@b.c>, ']) {
    it(`have no overlong line with ${piece} repeated three thousand times`, async () => {
      const message = await sentMessage({ subject: piece.repeat(3000), text: piece.repeat(3000) });
      for (const line of message.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998);
    });
  }
});
