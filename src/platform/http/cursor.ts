import { ParameterError } from './errors.ts';

/** The place in an ordered list at which a page begins, or, walking back, ends. */
export interface Cursor {
  /** The ordering values of the row at the edge, by the columns' order. */
  readonly values: readonly (string | number)[];
  readonly backward: boolean;
}

/** A column that a list is ordered by. */
export interface CursorColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

const direction = '_kd';

/** The opaque text of a cursor: base64url of a JSON object. */
export function writeCursor(columns: readonly CursorColumn[], { values, backward }: Cursor): string {
  const fields = columns.map(({ name }, index) => [name, values[index]]);
  const json = JSON.stringify({ ...Object.fromEntries(fields), [direction]: backward ? 'p' : 'n' });
  return Buffer.from(json).toString('base64url');
}

/** Reads it back; 400 for a text that is none, or is one of another order. */
export function readCursor(columns: readonly CursorColumn[], text: string): Cursor {
  const fields = parse(text);
  const values = columns.map(({ name, type }) => {
    const value = fields[name];
    const fits = type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string';
    if (!fits) throw new ParameterError('cursor is invalid');
    return value as string | number;
  });
  return { values, backward: fields[direction] === 'p' };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below, as for every other text that is no cursor.
  }
  throw new ParameterError('cursor is invalid');
}
