import type { LineRange } from '../../platform/git/diff/blame.ts';
import { integer, isBlank, isRecord } from '../../platform/http/parameters/param-readers.ts';
import type { Param } from '../../platform/http/params.ts';

/** `range[start]` and `range[end]`: both or neither, starting at 1. */
export function rangeParam(): Param<LineRange, 'optional'> {
  const line = { type: 'integer', minimum: 1 };
  return {
    schema: { type: 'object', properties: { start: line, end: line }, required: ['start', 'end'] },
    presence: 'optional',
    read: readRange,
  };
}

/** Parses a range. Adds an error to `problems` for each invalid end. */
export function readRange(raw: unknown, name: string, problems: string[]): LineRange | undefined {
  if (!isBlank(raw) && !isRecord(raw)) {
    problems.push(`${name} is invalid`);
    return undefined;
  }
  const sent: Record<string, unknown> = isRecord(raw) ? raw : { start: '', end: '' };
  const start = readLine(sent.start, `${name}[start]`, problems);
  const end = readLine(sent.end, `${name}[end]`, problems);
  return start === undefined || end === undefined ? undefined : { start, end };
}

function readLine(raw: unknown, name: string, problems: string[]): number | undefined {
  if (raw === undefined) problems.push(`${name} is missing`);
  if (raw === undefined || isBlank(raw)) {
    problems.push(`${name} is empty`);
    return undefined;
  }
  const line = integer(raw, name, problems);
  if (line === undefined || line > 0) return line;
  problems.push(`${name} does not have a valid value`);
  return undefined;
}
