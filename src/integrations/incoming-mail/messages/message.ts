import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime';
import { isAutomatic, suppressesRejection } from './automatic.ts';
import { htmlText } from './html-text.ts';
import { replyText, wholeText } from './reply-text.ts';

/** An attachment. */
export interface EnclosedFile {
  readonly name: string;
  /** The placeholders for the file in the text, `[cid:…]` or `[image: …]`. They have no other use. */
  readonly marks: readonly string[];
  readonly content: Uint8Array;
}

/** A parsed message. */
export interface Message {
  readonly id: string | null;
  /** The sender according to the `From` header, which is not authenticated. */
  readonly from: string | null;
  /** All possible recipient addresses, the most reliable first. */
  readonly recipients: readonly string[];
  readonly automatic: boolean;
  readonly takesNoAnswer: boolean;
  readonly subject: string;
  /** The reply without quoted text. */
  readonly reply: string;
  /** The whole text. */
  readonly whole: string;
  readonly files: readonly EnclosedFile[];
}

/** Headers with the recipient, in order of preference: those that mail servers add come before those of the sender. */
const recipientHeaders = [
  'delivered-to',
  'x-delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'to',
  'cc',
];
const maxRecipients = 100;

/** Attachments to ignore: signatures, and invitations, which the text repeats. */
const noFiles = /^(?:application\/(?:pgp-signature|pgp-encrypted|pkcs7-signature|x-pkcs7-signature)|text\/calendar)$/;

const limits = { maxNestingDepth: 50, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true } as const;

/** Parses a message. All of its content is untrusted. */
export async function readMessage(raw: Uint8Array): Promise<Message> {
  const email = await PostalMime.parse(raw, limits);
  const text = textOf(email);
  const { headers } = email;
  const [from] = addressesIn(email.from ? [email.from] : []);
  return {
    id: email.messageId?.trim() || null,
    from: from ?? null,
    recipients: recipientsOf(email),
    automatic: isAutomatic(headers),
    takesNoAnswer: suppressesRejection(headers),
    subject: (email.subject ?? '').replace(/\s+/g, ' ').trim(),
    reply: replyText(text),
    whole: wholeText(text),
    files: email.attachments.filter(({ mimeType }) => !noFiles.test(mimeType)).map(fileOf),
  };
}

/** Maximum length of a note; quoted text may exceed it. */
const longestText = 1_000_000;

/** Returns the plain text part if there is one, and the converted HTML otherwise, without control characters. */
function textOf({ text, html }: Email): string {
  const written = (text?.trim() ? text : html ? htmlText(html) : '').slice(0, longestText);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return written.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');
}

function recipientsOf({ headers }: Email): string[] {
  const found = recipientHeaders.flatMap((name) =>
    headers.filter(({ key }) => key === name).flatMap(({ value }) => addressesIn(addressParser(value))),
  );
  return [...new Set(found)].slice(0, maxRecipients);
}

function addressesIn(addresses: readonly Address[]): string[] {
  return addresses.flatMap((one) => (one.group ? addressesIn(one.group) : [one.address ?? '']));
}

function fileOf({ filename, mimeType, content, contentId, related }: Attachment): EnclosedFile {
  const id = contentId?.replace(/^<|>$/g, '');
  const name = filename?.trim() || `file.${mimeType.split('/')[1]?.replace(/[^a-z0-9]/gi, '') ?? 'bin'}`;
  const marks = related ? [...(id ? [`[cid:${id}]`] : []), `[image: ${name}]`] : [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return { name, marks, content: bytes };
}
