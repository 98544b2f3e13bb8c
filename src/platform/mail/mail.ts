import { createHash } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from 'nodemailer';

/** An email to one person. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Where it is left out, the email is in plain text alone. */
  readonly html?: string;
  /** Without brackets; the same for each attempt to send it. */
  readonly id: string;
  /** The email that began the thread. */
  readonly thread?: string;
  /** Whose email it is, where that is not the server's own; the server sends it all the same. */
  readonly from?: { readonly name: string; readonly address: string };
  /** Where an answer to it goes, if not to whom it is from. */
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where emails go: to a server, or where there is none into a folder, one file each. */
export interface MailSettings {
  readonly smtpUrl?: string | undefined;
  readonly from: string;
  readonly outbox: string;
}

/** A line of an email has at most 998 bytes, and a subject that nobody can break into lines is one. */
const longestSubject = 400;
const bytesOfWord = 45;

/** The subject as one line of what it is. What looks like a word in code is written in code itself, lest it be read as one. */
export function subjectHeader(text: string): string | { readonly prepared: true; readonly value: string } {
  const characters = [...text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()];
  const subject =
    characters.length > longestSubject ? `${characters.slice(0, longestSubject).join('')}…` : characters.join('');
  if (!subject.includes('=?')) return subject;
  const words: string[] = [''];
  for (const character of subject.toWellFormed()) {
    const word = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(word) > bytesOfWord) words.push(character);
    else words[words.length - 1] = word;
  }
  const value = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
  return { prepared: true, value };
}

/** A carriage return of its own is no end of a line in an email, but some servers take it for one. */
const inLines = (text: string) => text.replace(/\r\n?/g, '\n');

/** No program is to answer what a program wrote (RFC 3834): two of them would never end. */
const unanswered = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 };

/** Sends emails one by one. */
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
      // Not read as a list, nor as a name with an address in brackets.
      to: { name: '', address: to },
      text: inLines(text),
      ...(html === undefined ? {} : { html: inLines(html) }),
      messageId: `<${id}>`,
      ...(thread && thread !== id ? { references: `<${thread}>`, inReplyTo: `<${thread}>` } : {}),
      ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
      headers: { ...unanswered, ...headers, Subject: subjectHeader(subject) },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    if (raw) await put(outbox, id, raw);
  };
}

/** Written aside and renamed: who looks into the folder sees whole emails, and each once. */
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
