import { open } from 'node:fs/promises';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { ifMissing } from '../../platform/missing.ts';
import type { Fields } from './fields.ts';

/**
 * A line of a relation file; `fields` is null in a file that GitLab wrote for an empty relation, and undefined if the
 * line is not an object or too long.
 */
export interface Line {
  readonly number: number;
  readonly fields: Fields | null | undefined;
}

/** Maximum length of a line. */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 10;

/** Reads a file line by line, keeping one line in memory. Yields nothing if the file does not exist. */
export async function* readLines(path: string, longest: number): AsyncGenerator<Line, void> {
  const file = await open(path).catch(ifMissing);
  if (!file) return;
  let parts: Buffer[] = [];
  let size = 0;
  let number = 0;
  const ended = (): Line => {
    const fields = size > longest ? undefined : parsed(Buffer.concat(parts).toString('utf8'));
    parts = [];
    size = 0;
    return { number: ++number, fields };
  };
  const keep = (part: Buffer) => {
    size += part.length;
    if (size <= longest) parts.push(part);
    else parts = [];
  };
  // The stream closes the file, even if iteration stops early.
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield ended();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (size > 0) yield ended();
}

function parsed(text: string): Fields | null | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
