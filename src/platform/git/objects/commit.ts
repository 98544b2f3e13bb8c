import { type Identity, parseIdentity } from './identity.ts';
import { decodeText } from './text.ts';

/**
 * Maximum number of bytes read of a commit or tag. Real ones are smaller; generated ones must not make the server hold
 * a hundred of them (one list page) in memory, nor block access to the rest of the repository.
 */
export const MAX_TEXT = 256 * 1024;

/** A parsed commit object. */
export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Identity;
  readonly committer: Identity;
  /** Everything after the headers, unchanged. */
  readonly message: string;
  /** Text of the `gpgsig` header (PGP, SSH or X.509). */
  readonly signature: string | undefined;
  /** The `encoding` header, if present. */
  readonly encoding: string | undefined;
  /** The object is longer than the part that was read. */
  readonly isCut?: boolean;
}

/** Headers and body of a commit or tag object; header text is Latin-1, one character per byte. */
export interface ParsedHeaders {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  readonly isCut: boolean;
}

const NOBODY: Identity = { name: '', email: '', seconds: 0, zone: 0 };

/** Parses a commit object. Never throws on malformed content, because history cannot be repaired. */
export function parseCommit(oid: string, raw: Buffer): Commit {
  const { headers, body, isCut } = parseHeaders(raw);
  const encoding = headers.get('encoding')?.[0];
  return {
    oid,
    tree: headers.get('tree')?.[0] ?? '',
    parents: headers.get('parent') ?? [],
    author: identityOf(headers.get('author')?.[0], encoding),
    committer: identityOf(headers.get('committer')?.[0], encoding),
    message: decodeText(body, encoding) + (isCut ? '\n…' : ''),
    signature: headers.get('gpgsig')?.[0],
    encoding,
    ...(isCut && { isCut }),
  };
}

/** Returns the first line of a message. */
export function commitTitle(message: string): string {
  const text = message.trimStart();
  const end = text.indexOf('\n');
  return (end < 0 ? text : text.slice(0, end)).trimEnd();
}

/** Splits headers (with their continuation lines) from the body; a repeated header keeps all its values. */
export function parseHeaders(whole: Buffer): ParsedHeaders {
  const isCut = whole.length >= MAX_TEXT;
  const raw = isCut ? cutText(whole) : whole;
  const end = headerEnd(raw);
  const headers = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of raw.toString('latin1', 0, end).split('\n')) {
    if (line.startsWith(' ')) {
      if (last) last[last.length - 1] += `\n${line.slice(1)}`;
      continue;
    }
    const space = line.indexOf(' ');
    if (space < 0) continue;
    const name = line.slice(0, space);
    last = headers.get(name) ?? [];
    last.push(line.slice(space + 1));
    headers.set(name, last);
  }
  return { headers, body: raw.subarray(Math.min(raw.length, end + 2)), isCut };
}

/** Truncates to whole characters, or to whole lines when the headers alone exceed the limit. */
function cutText(raw: Buffer): Buffer {
  const beginning = raw.subarray(0, MAX_TEXT);
  if (headerEnd(beginning) === beginning.length) return beginning.subarray(0, beginning.lastIndexOf('\n') + 1);
  let end = beginning.length - 1;
  while (((beginning[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return beginning.subarray(0, end);
}

/** Parses an identity header, decoded like the message. */
export function identityOf(line: string | undefined, encoding?: string): Identity {
  if (line === undefined) return NOBODY;
  return parseIdentity(isAscii(line) ? line : decodeText(Buffer.from(line, 'latin1'), encoding));
}

/** Returns the signature of a commit and the signed payload: the object without its `gpgsig` header. */
export function splitCommitSignature(raw: Buffer): { payload: Buffer; signature: string } | null {
  const end = headerEnd(raw);
  const lines = raw.toString('latin1', 0, end).split('\n');
  const first = lines.findIndex((line) => line.startsWith('gpgsig '));
  if (first < 0) return null;
  let past = first + 1;
  while (lines[past]?.startsWith(' ')) past++;
  const signature = lines.splice(first, past - first).map((line, i) => line.slice(i === 0 ? 'gpgsig '.length : 1));
  const payload = Buffer.concat([Buffer.from(lines.join('\n'), 'latin1'), raw.subarray(end)]);
  return { payload, signature: signature.join('\n') };
}

function headerEnd(raw: Buffer): number {
  const end = raw.indexOf('\n\n');
  return end < 0 ? raw.length : end;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
