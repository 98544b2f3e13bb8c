import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';

/** How a committed file is sent to a browser. */
export interface DetectedType {
  readonly type: string;
  /** Download instead of display. */
  readonly attachment: boolean;
}

/** Bytes that are examined. */
export const SNIFFED_BYTES = 8000;

/** Images, by their magic bytes. */
const pictures: readonly (readonly [type: string, ...marks: readonly (readonly [at: number, text: string])[]])[] = [
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBPVP']],
  ['image/avif', [4, 'ftypavif']],
  ['image/avif', [4, 'ftypavis']],
  ['image/bmp', [0, 'BM'], [6, '\0\0\0\0']],
  ['image/x-icon', [0, '\0\0\x01\0']],
];

/**
 * Whether no text contains this byte: of the control characters, only those for whitespace and terminal colours are
 * allowed.
 */
function isBinary(byte: number): boolean {
  return byte < 0x20 && byte !== 0x1b && byte !== 0x0c && (byte < 0x09 || byte === 0x0b || byte > 0x0d);
}

/**
 * Images as such, text as plain text in its character set, everything else as a download. HTML and SVG count as text,
 * so that committed content never runs in a browser. `whole`: these are all the bytes there are.
 */
export function detectType(start: Buffer, whole: boolean): DetectedType {
  const bytes = start.subarray(0, SNIFFED_BYTES);
  const head = bytes.toString('latin1');
  const picture = pictures.find(([, ...marks]) => marks.every(([at, text]) => head.startsWith(text, at)));
  if (picture) return { type: picture[0], attachment: false };
  const charset = charsetOf(bytes, head, whole && bytes.length === start.length);
  if (charset === undefined) return { type: 'application/octet-stream', attachment: true };
  return { type: `text/plain; charset=${charset}`, attachment: false };
}

function charsetOf(bytes: Buffer, head: string, whole: boolean): string | undefined {
  if (head.startsWith('\xff\xfe')) return 'utf-16le';
  if (head.startsWith('\xfe\xff')) return 'utf-16be';
  if (bytes.some(isBinary)) return undefined;
  if (isUtf8(whole ? bytes : withoutCutCharacter(bytes))) return 'utf-8';
  // The best guess may still be an encoding that has been ruled out.
  const guess = analyse(bytes).find(({ name }) => name !== 'ASCII' && name !== 'UTF-8');
  return guess?.name.toLowerCase() ?? 'iso-8859-1';
}

/** A chunk may end inside a character. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  return lead >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
