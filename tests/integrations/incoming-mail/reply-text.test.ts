import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { replyText, wholeText } from '../../../src/integrations/incoming-mail/messages/reply-text.ts';

const message = ['Ann commented:', '', 'Does it leak?', '', 'Read it there: https://forge.example.com/a/b/-/issues/1'];
const quotedEmail = message.map((line) => `> ${line}`.trimEnd());

/** Replies as mail programs format them, with the text to extract. */
const cases: readonly { readonly name: string; readonly text: readonly string[]; readonly reply: string }[] = [
  {
    name: 'Gmail',
    text: ['It does.', '', 'On Mon, Jan 5, 2026 at 10:00 AM Ann <hearth@example.com> wrote:', '', ...quotedEmail],
    reply: 'It does.',
  },
  {
    name: 'Gmail, with a wrapped attribution line',
    text: [
      'It does.',
      '',
      'On Mon, Jan 5, 2026 at 10:00 AM Somebody With A Long Name <',
      'hearth@example.com> wrote:',
      '',
      ...quotedEmail,
    ],
    reply: 'It does.',
  },
  {
    name: 'Gmail in German',
    text: ['Ja.', '', 'Ann <hearth@example.com> schrieb am Mo., 5. Jan. 2026, 10:00:', '', ...quotedEmail],
    reply: 'Ja.',
  },
  {
    name: 'Thunderbird in German',
    text: ['Ja, das läuft aus.', '', 'Am 05.01.26 um 10:00 schrieb Ann:', ...quotedEmail],
    reply: 'Ja, das läuft aus.',
  },
  {
    name: 'Apple Mail in French',
    text: ['Oui.', '', '> Le 5 janv. 2026 à 10:00, Ann <hearth@example.com> a écrit :', '> ', ...quotedEmail],
    reply: 'Oui.',
  },
  {
    name: 'French, with a non-breaking space',
    text: ['Oui.', '', 'Le 5 janvier 2026 à 10:00, Ann a écrit\u00a0:', ...quotedEmail],
    reply: 'Oui.',
  },
  {
    name: 'Apple Mail, sent from a phone',
    text: [
      'Yes',
      '',
      'Sent from my iPhone',
      '',
      '> On 5 Jan 2026, at 10:00, Ann <hearth@example.com> wrote:',
      '> ',
      ...quotedEmail,
    ],
    reply: 'Yes',
  },
  {
    name: 'Outlook',
    text: [
      'It does.',
      '',
      '________________________________',
      'From: Hearth <hearth@example.com>',
      'Sent: Monday, January 5, 2026 10:00',
      'To: Bob <bob@example.com>',
      'Subject: Re: Project | Leak (#1)',
      '',
      ...message,
    ],
    reply: 'It does.',
  },
  {
    name: 'Outlook in German',
    text: [
      'Ja.',
      '',
      'Von: Hearth <hearth@example.com>',
      'Gesendet: Montag, 5. Januar 2026 10:00',
      'An: Bob <bob@example.com>',
      'Betreff: AW: Project | Leak (#1)',
      '',
      ...message,
    ],
    reply: 'Ja.',
  },
  {
    name: 'old Outlook',
    text: ['It does.', '', '-----Original Message-----', 'From: Hearth', ...message],
    reply: 'It does.',
  },
  {
    name: 'Outlook for phones',
    text: [
      'ok',
      '',
      'Get Outlook for iOS<https://aka.ms/o0ukef>',
      ...['From: Hearth <h@example.com>', 'Sent: Monday', 'To: Bob', 'Subject: x'],
      ...message,
    ],
    reply: 'ok',
  },
  {
    name: 'a signature above the quote',
    text: ['It does.', '', '-- ', 'Bob', 'Plumber', '', 'On 1/5/26 10:00 AM, Ann wrote:', ...quotedEmail],
    reply: 'It does.',
  },
  {
    name: 'a reply below the quote',
    text: ['On 1/5/26 10:00 AM, Ann wrote:', ...quotedEmail, '', 'It does.', '', '-- ', 'Bob'],
    reply: 'It does.',
  },
  {
    name: 'interleaved replies',
    text: [
      'On 1/5/26 10:00 AM, Ann wrote:',
      '> Does it leak?',
      '',
      'It does.',
      '',
      '> Since when?',
      '',
      'Monday.',
      '',
      '> Read it there',
    ],
    reply: '> Does it leak?\n\nIt does.\n\n> Since when?\n\nMonday.',
  },
  {
    name: 'only a quote',
    text: ['On 1/5/26 10:00 AM, Ann wrote:', ...quotedEmail],
    reply: '',
  },
  {
    name: 'a quote without attribution',
    text: ['It does.', '', ...quotedEmail],
    reply: 'It does.',
  },
  {
    name: 'the e-mail below without quote marks',
    text: ['It does.', '', 'On Mon, 5 Jan 2026 at 10:00, Ann <hearth@example.com> wrote:', '', ...message],
    reply: 'It does.',
  },
  {
    name: 'Markdown without a quote',
    text: [
      '# Steps',
      '',
      '1. Open it',
      '2. Wait',
      '',
      '```',
      '-----',
      '```',
      '',
      'On the way I wrote: nothing.',
      '',
      '---',
      'End',
    ],
    reply: '# Steps\n\n1. Open it\n2. Wait\n\n```\n-----\n```\n\nOn the way I wrote: nothing.\n\n---\nEnd',
  },
  {
    name: 'quick actions',
    text: ['/label ~bug', '/close', '', 'Am 05.01.26 um 10:00 schrieb Ann:', ...quotedEmail],
    reply: '/label ~bug\n/close',
  },
  { name: 'all kinds of line endings', text: ['One\r\nTwo\rThree\n\n\n'], reply: 'One\nTwo\nThree' },
  { name: 'whitespace only', text: [' ', '\t', ''], reply: '' },
];

describe('reply extraction', () => {
  for (const { name, text, reply } of cases) {
    it(name, () => assert.equal(replyText(text.join('\n')), reply));
  }

  it('takes linear time for long texts', () => {
    const long = `${'On 1 On 1 On 1 wrote '.repeat(40_000)}\n`.repeat(2);
    assert.ok(replyText(long).startsWith('On 1'));
    assert.equal(replyText('On 5 x\n'.repeat(50_000)).length, 7 * 50_000 - 1);
  });

  it('keeps quotes when the whole text is requested', () => {
    const forwarded = ['See below.', '', '-----Original Message-----', 'From: Carl', '', 'It leaks.', '', '-- ', 'Bob'];
    assert.equal(wholeText(forwarded.join('\n')), 'See below.\n\n-----Original Message-----\nFrom: Carl\n\nIt leaks.');
  });
});
