import { certificateFile } from './certificate-file.ts';
import { BadValue, bytes, duration, secret, text, type Values } from './setting.ts';

/** Settings of incoming mail: replies to notification e-mails, and new issues. */
export const incomingMail = {
  incomingMailAddress: text(
    'HEARTH_INCOMING_MAIL_ADDRESS',
    undefined,
    'Address for incoming mail, as incoming+%{key}@example.com; off unless set.',
    keyedAddress,
  ),
  imapUrl: secret(
    'HEARTH_IMAP_URL',
    'Mailbox to read it from, as imaps://user:password@host/INBOX; without it, use `hearth mail receive`.',
    imap,
  ),
  imapCa: text('HEARTH_IMAP_CA', undefined, 'CA certificates (PEM file) for the IMAP server.', certificateFile),
  imapPoll: duration('HEARTH_IMAP_POLL', '1m', 'How often the mailbox is checked; at least 5s.'),
  maxIncomingMail: bytes('HEARTH_MAX_INCOMING_MAIL', '25MiB', 'Maximum size of a message.'),
};

type IncomingMail = Readonly<Values<typeof incomingMail>>;

/** Returns mistakes in the combination of mail settings, each with the setting it concerns. */
export function incomingMailMistakes(settings: IncomingMail): [keyof IncomingMail, string][] {
  const found: [keyof IncomingMail, string][] = [];
  if (settings.imapUrl !== undefined && settings.incomingMailAddress === undefined) {
    found.push(['imapUrl', 'needs --incoming-mail-address']);
  }
  if (settings.imapPoll < 5000) found.push(['imapPoll', 'expected at least 5s']);
  return found;
}

function keyedAddress(value: string): string {
  if (!/^[\w.+=-]*%\{key\}[\w.+=-]*@[A-Za-z0-9.-]+$/.test(value)) {
    throw new BadValue('expected an address such as incoming+%{key}@example.com');
  }
  return value;
}

function imap(value: string): string {
  const url = URL.parse(value);
  if (!url?.hostname || url.username === '' || !/^imaps?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as imaps://user:password@mail.example.com/INBOX');
  }
  return value;
}
