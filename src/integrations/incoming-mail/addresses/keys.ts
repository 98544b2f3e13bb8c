import type { Encryption } from '../../../platform/secrets/encryption.ts';
import { trimCharacters } from '../../../platform/trim.ts';
import { type RepliableType, repliableTypes } from '../commented.ts';
import { fromBase32, readNumbers, toBase32, writeNumbers } from './compact.ts';

/** The user who replies to a notification e-mail, and the object that the reply is a comment on. */
export interface ReplyKey {
  readonly kind: 'reply';
  readonly userId: number;
  readonly type: RepliableType;
  readonly id: number;
  /** The note that the e-mail is about, if any. */
  readonly noteId: number | null;
}

/** The user and project of an issue created by e-mail. */
export interface IssueKey {
  readonly kind: 'issue';
  readonly userId: number;
  readonly projectId: number;
}

/** A decoded key whose signature is not verified yet. */
export type ReadKey = (ReplyKey | IssueKey) & {
  /** The signed bytes and their signature. */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
};

const signatureBytes = 12;
const purposes = { reply: 'incoming-mail.reply', issue: 'incoming-mail.issue' } as const;

/** Returns the text that is signed: the key's content, and the generation that rotating the user's token increments. */
function signedText(signedBytes: Buffer, generation: number): string {
  return `${generation} ${signedBytes.toString('hex')}`;
}

function createKey(
  encryption: Encryption,
  kind: keyof typeof purposes,
  numbers: readonly number[],
  generation: number,
) {
  const signedBytes = writeNumbers(numbers);
  const signature = encryption.sign(signedText(signedBytes, generation), purposes[kind]).subarray(0, signatureBytes);
  return toBase32(Buffer.concat([signedBytes, signature]));
}

/** Creates the key of a reply address. It is self-contained and signed, so it needs no row in the database. */
export function replyKey(encryption: Encryption, key: Omit<ReplyKey, 'kind'>, generation: number): string {
  const numbers = [key.userId, repliableTypes.indexOf(key.type), key.id, key.noteId ?? 0];
  return createKey(encryption, 'reply', numbers, generation);
}

/** Creates the token with which a user creates issues by e-mail in any of their projects. */
export function issueToken(encryption: Encryption, userId: number, generation: number): string {
  return createKey(encryption, 'issue', [userId], generation);
}

/** Creates a key such as `group-project-7-TOKEN-issue`. The path is only informative and is truncated to fit. */
export function issueKey(path: string, projectId: number, token: string, room: number): string {
  const end = `${projectId}-${token}-issue`;
  const slug = trimCharacters(
    path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, Math.max(0, room - end.length - 1)),
    '-',
  );
  return slug === '' ? end : `${slug}-${end}`;
}

/** Decodes a key; returns undefined if it is malformed. */
export function readKey(key: string): ReadKey | undefined {
  const [, projectId, token] = /^(?:.*-)?(\d{1,15})-([a-z2-7]+)-issue$/.exec(key) ?? [];
  const signed = decodeKey(token ?? key);
  if (!signed) return undefined;
  const { numbers, ...proof } = signed;
  const [userId = 0, kind = -1, id, noteId = 0] = numbers;
  if (projectId !== undefined) {
    return numbers.length === 1 ? { kind: 'issue', userId, projectId: Number(projectId), ...proof } : undefined;
  }
  const type = repliableTypes[kind];
  if (numbers.length !== 4 || id === undefined || !type) return undefined;
  return { kind: 'reply', userId, type, id, noteId: noteId === 0 ? null : noteId, ...proof };
}

function decodeKey(text: string): { numbers: number[]; signedBytes: Buffer; signature: Buffer } | undefined {
  const bytes = fromBase32(text);
  if (!bytes || bytes.length <= signatureBytes) return undefined;
  const signedBytes = bytes.subarray(0, -signatureBytes);
  const numbers = readNumbers(signedBytes);
  return numbers && { numbers, signedBytes, signature: bytes.subarray(-signatureBytes) };
}

/** Whether this instance signed the key, and the owner's token has not been rotated since. */
export function isGenuine(encryption: Encryption, key: ReadKey, generation: number): boolean {
  return encryption.isSigned(signedText(key.signedBytes, generation), purposes[key.kind], key.signature);
}
