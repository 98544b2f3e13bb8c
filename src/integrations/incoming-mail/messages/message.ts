import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime';
import { isAutomatic, takesNoAnswer } from './automatic.ts';
import { htmlText } from './html-text.ts';
import { replyText, wholeText } from './reply-text.ts';

/** A file that came with a message. */
export interface EnclosedFile {
  readonly name: string;
  /** Where the text shows it, `[cid:…]` or `[image: …]`; such a file is of no use elsewhere. */
  readonly marks: readonly string[];
  readonly content: Uint8Array;
}

/** What of a message is of use, read. */
export interface Message {
  readonly id: string | null;
  /** Who sent it by its own words, which anybody can write. */
  readonly from: string | null;
  /** Every address that it may have been sent to, the surest first. */
  readonly recipients: readonly string[];
  readonly automatic: boolean;
  readonly takesNoAnswer: boolean;
  readonly subject: string;
  /** What was answered, without what was quoted. */
  readonly reply: string;
  /** All of it. */
  readonly whole: string;
  readonly files: readonly EnclosedFile[];
}

/** Where servers note whom a message was really for, and then what its sender wrote. */
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

/** What is no file of somebody's: signatures, and invitations that stand in the text as well. */
const noFiles = /^(?:application\/(?:pgp-signature|pgp-encrypted|pkcs7-signature|x-pkcs7-signature)|text\/calendar)$/;

const limits = { maxNestingDepth: 50, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true } as const;

/** Reads a message, whatever it is: nothing in it is believed. */
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
    takesNoAnswer: takesNoAnswer(headers),
    subject: (email.subject ?? '').replace(/\s+/g, ' ').trim(),
    reply: replyText(text),
    whole: wholeText(text),
    files: email.attachments.filter(({ mimeType }) => !noFiles.test(mimeType)).map(fileOf),
  };
}

/** No comment is longer; what is quoted below may be. */
const longestText = 1_000_000;

/** Plain text where there is some; a control character has no place in what people wrote. */
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
