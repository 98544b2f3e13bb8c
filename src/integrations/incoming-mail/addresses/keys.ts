import type { Encryption } from '../../../platform/secrets/encryption.ts';
import { trimCharacters } from '../../../platform/trim.ts';
import { type Commented, commented } from '../commented.ts';
import { fromBase32, readNumbers, toBase32, writeNumbers } from './compact.ts';

/** What an answer to an email is said to, and by whom. */
export interface ReplyKey {
  readonly kind: 'reply';
  readonly userId: number;
  readonly type: Commented;
  readonly id: number;
  /** The comment that the email told of, where it told of one. */
  readonly noteId: number | null;
}

/** Who opens an issue by mail, and where. */
export interface IssueKey {
  readonly kind: 'issue';
  readonly userId: number;
  readonly projectId: number;
}

/** A key as it was read, before it is known whether it was made here. */
export type ReadKey = (ReplyKey | IssueKey) & {
  /** What was signed, and the signature. */
  readonly said: Buffer;
  readonly signature: Buffer;
};

const signatureBytes = 12;
const purposes = { reply: 'incoming-mail.reply', issue: 'incoming-mail.issue' } as const;

/** What is signed: what the key says, and how often its owner made the keys before worthless. */
function signedText(said: Buffer, generation: number): string {
  return `${generation} ${said.toString('hex')}`;
}

function made(encryption: Encryption, kind: keyof typeof purposes, numbers: readonly number[], generation: number) {
  const said = writeNumbers(numbers);
  const signature = encryption.sign(signedText(said, generation), purposes[kind]).subarray(0, signatureBytes);
  return toBase32(Buffer.concat([said, signature]));
}

/** Needs no row: the key says itself what it is for, and nobody else can write one. */
export function replyKey(encryption: Encryption, key: Omit<ReplyKey, 'kind'>, generation: number): string {
  const numbers = [key.userId, commented.indexOf(key.type), key.id, key.noteId ?? 0];
  return made(encryption, 'reply', numbers, generation);
}

/** By which one person opens issues, wherever they may. */
export function issueToken(encryption: Encryption, userId: number, generation: number): string {
  return made(encryption, 'issue', [userId], generation);
}

/** `group-project-7-TOKEN-issue`: the path is there for people to read, and is cut where it does not fit. */
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

/** What a key says; undefined for what is none. */
export function readKey(key: string): ReadKey | undefined {
  const [, projectId, token] = /^(?:.*-)?(\d{1,15})-([a-z2-7]+)-issue$/.exec(key) ?? [];
  const signed = opened(token ?? key);
  if (!signed) return undefined;
  const { numbers, ...proof } = signed;
  const [userId = 0, kind = -1, id, noteId = 0] = numbers;
  if (projectId !== undefined) {
    return numbers.length === 1 ? { kind: 'issue', userId, projectId: Number(projectId), ...proof } : undefined;
  }
  const type = commented[kind];
  if (numbers.length !== 4 || id === undefined || !type) return undefined;
  return { kind: 'reply', userId, type, id, noteId: noteId === 0 ? null : noteId, ...proof };
}

function opened(text: string): { numbers: number[]; said: Buffer; signature: Buffer } | undefined {
  const bytes = fromBase32(text);
  if (!bytes || bytes.length <= signatureBytes) return undefined;
  const said = bytes.subarray(0, -signatureBytes);
  const numbers = readNumbers(said);
  return numbers && { numbers, said, signature: bytes.subarray(-signatureBytes) };
}

/** Was the key made here, and not made worthless since? */
export function isGenuine(encryption: Encryption, key: ReadKey, generation: number): boolean {
  return encryption.isSigned(signedText(key.said, generation), purposes[key.kind], key.signature);
}
