import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'golden');

/** Replaces the values of a payload that differ between runs. */
export function settled(value: unknown, forge: string, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => settled(each, forge, key));
  // Null within the first second.
  if (key === 'queued_duration') return '<seconds>';
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, settled(each, forge, name)]));
  }
  if (typeof value === 'number' && /(^|_)ids?$/.test(key)) return '<number>';
  if (typeof value === 'number' && /duration$/.test(key)) return '<seconds>';
  if (typeof value !== 'string') return value;
  if (key === 'short_sha') return '<short sha>';
  return value
    .replaceAll(forge, 'http://forge')
    .replace(/http:\/\/forge(.*?)\/pipelines\/\d+/g, 'http://forge$1/pipelines/<number>')
    .replace(/#note_\d+/g, '#note_<number>')
    .replace(/\b(?!0{40})[0-9a-f]{40}\b/g, '<sha>')
    .replace(/avatar\/[0-9a-f]{64}/g, 'avatar/<digest>')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d| UTC| \+0000)/g, '<instant$2>')
    .replace(/(maker|receiver)-\d+/g, '$1');
}

/** Compares a payload with its golden file; with UPDATE_GOLDEN set, writes the file. */
export function assertGolden(name: string, payload: unknown, forge: string): void {
  const file = join(folder, `${name}.json`);
  const found = settled(payload, forge);
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  }
  assert.deepEqual(found, JSON.parse(readFileSync(file, 'utf8')), name);
}
