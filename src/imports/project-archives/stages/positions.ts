import { enumOf, type Fields, fieldsOf, numberOf, textOf } from '../fields.ts';

/** Position of a diff note, given as an object or as JSON. Unknown fields are dropped. */
export function positionOf(value: unknown): string | undefined {
  const sent = fieldsOf(typeof value === 'string' ? parsed(value) : value);
  const { base_sha, start_sha, head_sha, old_path, new_path, position_type } = sent;
  const shas = [base_sha, start_sha, head_sha].map((sha) => textOf(sha));
  if (shas.some((sha) => sha === null || !/^[0-9a-f]{40}$/.test(sha))) return undefined;
  const path = (one: unknown) => textOf(one)?.slice(0, 4096) ?? null;
  const type = enumOf(position_type, ['text', 'image', 'file']) ?? 'text';
  return JSON.stringify({
    base_sha,
    start_sha,
    head_sha,
    old_path: path(old_path) ?? path(new_path),
    new_path: path(new_path) ?? path(old_path),
    position_type: type,
    ...(type === 'image' ? pointIn(sent) : linesIn(sent)),
  });
}

/** Line of a note that was identified by path and line only. */
export function lineOf(value: unknown): string | undefined {
  const sent = fieldsOf(typeof value === 'string' ? parsed(value) : value);
  const path = (one: unknown) => textOf(one)?.slice(0, 4096) ?? null;
  const [old_path, new_path] = [path(sent.old_path), path(sent.new_path)];
  const [old_line, new_line] = [numberOf(sent.old_line), numberOf(sent.new_line)];
  if (new_path === null || (old_line === null && new_line === null)) return undefined;
  return JSON.stringify({ old_path: old_path ?? new_path, new_path, position_type: 'text', old_line, new_line });
}

function linesIn({ old_line, new_line, line_range }: Fields) {
  return { old_line: numberOf(old_line), new_line: numberOf(new_line), line_range: rangeOf(line_range) };
}

function rangeOf(value: unknown) {
  const { start, end } = fieldsOf(value);
  const [first, last] = [rangeEndOf(start), rangeEndOf(end)];
  return first && last ? { start: first, end: last } : null;
}

function rangeEndOf(value: unknown) {
  const { line_code, type, old_line, new_line } = fieldsOf(value);
  const lines = { old_line: numberOf(old_line), new_line: numberOf(new_line) };
  if (lines.old_line === null && lines.new_line === null) return undefined;
  return { line_code: textOf(line_code)?.slice(0, 255) ?? null, type: enumOf(type, ['old', 'new']) ?? null, ...lines };
}

/** A point of an image and the size of that image, in pixels. */
function pointIn({ width, height, x, y }: Fields) {
  const pixels = (some: unknown) => (some === 0 ? 0 : numberOf(some));
  return { width: pixels(width), height: pixels(height), x: pixels(x), y: pixels(y) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
