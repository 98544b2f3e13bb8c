import { type Identity, parseIdentity } from './identity.ts';
import { decodeText } from './text.ts';

/**
 * How much is read of a commit or tag. Nobody writes as much; whoever makes a program write it must not have the server hold
 * a hundred of them, which is a page of a list, nor keep people from the rest of the repository.
 */
export const MAX_TEXT = 256 * 1024;

/** A parsed commit object. */
export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Identity;
  readonly committer: Identity;
  /** Everything after the headers, as written. */
  readonly message: string;
  /** Text of the `gpgsig` header (PGP, SSH or X.509). */
  readonly signature: string | undefined;
  /** The `encoding` header, when there is one. */
  readonly encoding: string | undefined;
  /** There is more of it than is read. */
  readonly isCut?: boolean;
}

/** The headers and the body of a commit or tag object; header text is Latin-1, one character a byte. */
export interface ParsedHeaders {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  readonly isCut: boolean;
}

const NOBODY: Identity = { name: '', email: '', seconds: 0, zone: 0 };

/** Reads a commit object's bytes; never throws on content, since history cannot be mended. */
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

/** The first line of a message. */
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

/** As many whole characters as are read; of headers that go on for longer, whole lines. */
function cutText(raw: Buffer): Buffer {
  const beginning = raw.subarray(0, MAX_TEXT);
  if (headerEnd(beginning) === beginning.length) return beginning.subarray(0, beginning.lastIndexOf('\n') + 1);
  let end = beginning.length - 1;
  while (((beginning[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return beginning.subarray(0, end);
}

/** An identity header, decoded like the message. */
export function identityOf(line: string | undefined, encoding?: string): Identity {
  if (line === undefined) return NOBODY;
  return parseIdentity(isAscii(line) ? line : decodeText(Buffer.from(line, 'latin1'), encoding));
}

/** The signed bytes of a commit and its signature: the object without its `gpgsig` header. */
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
