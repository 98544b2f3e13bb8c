import { open } from 'node:fs/promises';
import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { ifMissing } from '../../platform/missing.ts';
import type { Fields } from './fields.ts';

/** A line of a relation's file; undefined where it is no object, or longer than anything that is meant well. */
export interface Line {
  readonly number: number;
  readonly fields: Fields | undefined;
}

/** No line of a file that is meant well is longer. */
export const longestLine = 64 * 1024 * 1024;

const newline = 10;

/** The lines of a file, one object each, never more than one of them held; none where there is no such file. */
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
  // Closed with the stream, also by whoever stops reading.
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

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
