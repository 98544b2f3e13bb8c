import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Message, readMessage } from '../../../src/integrations/incoming-mail/messages/message.ts';

const read = (lines: readonly string[]) => readMessage(Buffer.from(lines.join('\r\n'), 'latin1'));

interface Case {
  readonly name: string;
  readonly lines: readonly string[];
  readonly found: Partial<Omit<Message, 'files'>> & { readonly files?: readonly (readonly [string, string])[] };
}

const picture = Buffer.from('picture').toString('base64');

const cases: readonly Case[] = [
  {
    name: 'a message with plain text and HTML',
    lines: [
      'From: =?iso-8859-1?Q?Andr=E9?= <andre@example.com>',
      'To: "Forge, the" <in+a@example.com>, Others: b@example.com, c@example.com;',
      'Cc: d@example.com',
      'X-Original-To: real@example.com',
      'Subject: =?utf-8?Q?Re=3A_=C3=BCber?=',
      ' two lines',
      'Message-ID: <1@example.com>',
      'Content-Type: multipart/alternative; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'Plain',
      '--x',
      'Content-Type: text/html',
      '',
      '<p>Rich</p>',
      '--x--',
    ],
    found: {
      id: '<1@example.com>',
      from: 'andre@example.com',
      recipients: ['real@example.com', 'in+a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'],
      subject: 'Re: über two lines',
      reply: 'Plain',
      automatic: false,
      takesNoAnswer: false,
      files: [],
    },
  },
  {
    name: 'a message with an inline image',
    lines: [
      'Content-Type: multipart/related; boundary=x',
      '',
      '--x',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>See <img src="cid:one@x" alt="it"> there</p><ul><li>a</li></ul><a href="https://example.com/">page</a>',
      '--x',
      'Content-Type: image/png; name="one.png"',
      'Content-ID: <one@x>',
      'Content-Disposition: inline; filename="one.png"',
      'Content-Transfer-Encoding: base64',
      '',
      picture,
      '--x--',
    ],
    found: {
      reply: 'See [cid:one@x] there\n\n * a\n\npage <https://example.com/>',
      files: [['one.png', '[cid:one@x]']],
    },
  },
  {
    name: 'a message without required headers',
    lines: ['', 'Text alone'],
    found: { id: null, from: null, recipients: [], subject: '', reply: 'Text alone', automatic: false },
  },
  {
    name: 'a message with an invalid encoding',
    lines: [
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      'this is !! no base64 \u00ff',
    ],
    found: {},
  },
  {
    name: 'a message in windows-1252 with invalid bytes and a control character',
    lines: ['Content-Type: text/plain; charset=windows-1252', '', '\u0080 5 \u0000\u0007 \u00fc'],
    found: { reply: '€ 5  ü' },
  },
  {
    name: 'a message from a mailing list',
    lines: ['List-Id: <a.example.com>', 'From: a@example.com', '', 'x'],
    found: { automatic: false, takesNoAnswer: true },
  },
  {
    name: 'a message with Auto-Submitted: no',
    lines: ['Auto-Submitted: no', 'Precedence: first-class', 'Return-Path: <a@example.com>', '', 'x'],
    found: { automatic: false },
  },
  {
    name: 'an out-of-office reply',
    lines: ['Auto-Submitted: auto-replied (vacation)', '', 'x'],
    found: { automatic: true },
  },
];

describe('message parser', () => {
  for (const { name, lines, found } of cases) {
    it(`parses ${name}`, async () => {
      const { files, ...rest } = await read(lines);
      const { files: expected, ...fields } = found;
      for (const [field, value] of Object.entries(fields)) {
        assert.deepEqual(rest[field as keyof typeof rest], value, field);
      }
      if (expected) {
        assert.deepEqual(
          files.map((file) => [file.name, file.marks[0]]),
          expected,
        );
      }
    });
  }

  it('handles messages with very many or deeply nested parts', async () => {
    const parts = Array.from({ length: 5000 }, (_, index) => `--x\r\nContent-Type: text/plain\r\n\r\n${index}`);
    const many = await read(['Content-Type: multipart/mixed; boundary=x', '', ...parts, '--x--']);
    assert.match(many.reply, /^0/);
    const deep = Array.from({ length: 500 }, (_, at) => [
      `Content-Type: multipart/mixed; boundary=b${at}`,
      '',
      `--b${at}`,
    ]);
    await read(deep.flat()).then(
      () => undefined,
      (error: unknown) => assert.ok(error instanceof Error),
    );
    const html = `${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`;
    await read(['Content-Type: text/html', '', html]);
  });
});
