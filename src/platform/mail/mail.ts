import { createHash } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from 'nodemailer';

/** An email to one recipient. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Omitted for emails in plain text only. */
  readonly html?: string;
  /** The message id without angle brackets; the same for each attempt to send it. */
  readonly id: string;
  /** The message id of the first email of the thread. */
  readonly thread?: string;
  /** The author, if it is not the server itself, which remains the sender. */
  readonly from?: { readonly name: string; readonly address: string };
  /** Where replies go, if not to the author. */
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How emails are delivered: to an SMTP server, or else as files in a folder. */
export interface MailSettings {
  readonly smtpUrl?: string | undefined;
  readonly from: string;
  readonly outbox: string;
}

/** Email lines have at most 998 bytes, and a subject without spaces cannot be folded. */
const maxSubjectLength = 400;
const maxWordBytes = 45;

/**
 * The subject as a single line. Text that looks like an encoded word (RFC 2047) is encoded itself, so that it is not
 * decoded.
 */
export function subjectHeader(text: string): string | { readonly prepared: true; readonly value: string } {
  const characters = [...text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()];
  const subject =
    characters.length > maxSubjectLength ? `${characters.slice(0, maxSubjectLength).join('')}…` : characters.join('');
  if (!subject.includes('=?')) return subject;
  const words: string[] = [''];
  for (const character of subject.toWellFormed()) {
    const word = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(word) > maxWordBytes) words.push(character);
    else words[words.length - 1] = word;
  }
  const value = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
  return { prepared: true, value };
}

/** Normalizes line endings: a lone carriage return is not a line break in emails, but some servers treat it as one. */
const normalizeNewlines = (text: string) => text.replace(/\r\n?/g, '\n');

/** Tells other programs not to reply automatically (RFC 3834), which could go on forever. */
const noAutoReplies = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 };

/** Creates the function that sends an email. */
export function createMail({ smtpUrl, from, outbox }: MailSettings): (message: Email) => Promise<void> {
  let opening: Promise<Transport> | undefined;
  // Loaded with the first email: most servers of a test suite send none.
  const transport = () => {
    opening ??= import('nodemailer').then(({ createTransport }) =>
      createTransport(
        smtpUrl === undefined
          ? { streamTransport: true, buffer: true, newline: 'windows' }
          : { url: smtpUrl, ...timeouts },
      ),
    );
    return opening;
  };
  return async (message) => {
    const { to, from: author, subject, text, html, id, thread, replyTo, headers = {} } = message;
    const { message: raw } = await (await transport()).sendMail({
      ...(author === undefined ? { from } : { from: author, sender: from }),
      // An object, so that the address is not parsed as a list or as a name with an address in angle brackets.
      to: { name: '', address: to },
      text: normalizeNewlines(text),
      ...(html === undefined ? {} : { html: normalizeNewlines(html) }),
      messageId: `<${id}>`,
      ...(thread && thread !== id ? { references: `<${thread}>`, inReplyTo: `<${thread}>` } : {}),
      ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
      headers: { ...noAutoReplies, ...headers, Subject: subjectHeader(subject) },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    if (raw) await put(outbox, id, raw);
  };
}

/**
 * Writes the file under a temporary name and renames it, so that readers of the folder see each email once and
 * complete.
 */
async function put(outbox: string, id: string, message: Buffer): Promise<void> {
  await mkdir(outbox, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(id).digest('hex').slice(0, 32);
  const aside = join(outbox, `.${name}`);
  const file = await open(aside, 'w', 0o600);
  try {
    await file.writeFile(message);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, join(outbox, `${name}.eml`));
}
