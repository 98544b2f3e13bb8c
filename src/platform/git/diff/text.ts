import { isUtf8 } from 'node:buffer';
import { decodeText } from '../objects/text.ts';
import type { Change, DiffEntry } from './parse.ts';

const NEWLINE = 10;

/** Decodes several lines of text one by one, so that a line that is not UTF-8 does not affect the others. */
export function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    text += decodeText(bytes.subarray(start, end));
    start = end;
  }
  return text;
}

/** Decodes a path that the parser holds as a byte string. */
export function decodePath(path: string): string {
  return decodeText(Buffer.from(path, 'latin1'));
}

/** Returns the patch as text; with `unidiff`, below the `---` and `+++` lines that name the files. */
export function patchText(entry: Change & Pick<DiffEntry, 'patch' | 'binary'>, unidiff = false): string {
  const text = decodeLines(entry.patch);
  if (!unidiff || text === '' || entry.binary) return text;
  const from = entry.newFile ? '/dev/null' : `a/${decodePath(entry.oldPath)}`;
  const to = entry.deletedFile ? '/dev/null' : `b/${decodePath(entry.newPath)}`;
  return `--- ${from}\n+++ ${to}\n${text}`;
}

/** Formats a mode for diffs: `0` when the file does not exist. */
export function diffMode(mode: string): string {
  return mode === '000000' ? '0' : mode;
}
