import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Node, parse } from 'acorn';
import { analyse } from 'scslre';

const root = join(import.meta.dirname, '../..');

/** Extracts the regular expression literals of a file. */
function patternsIn(file: string): RegExp[] {
  const program = parse(stripTypeScriptTypes(readFileSync(join(root, file), 'utf8')), {
    ecmaVersion: 'latest',
    sourceType: 'module',
  });
  const found: RegExp[] = [];
  const visit = (value: unknown): void => {
    if (value instanceof RegExp) found.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) Object.values(value).forEach(visit);
  };
  visit(program);
  return found;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Whether matching can take super-linear time. */
const slow = (pattern: RegExp) => analyse(pattern).reports.length > 0;

describe('regular expressions in the source code', () => {
  it('are classified correctly by the checker', () => {
    for (const pattern of [/^(?:-?\d+)*$/, /\s+$/, /<\S+@\S+>/, /^a+a+$/]) assert.ok(slow(pattern), `${pattern}`);
    for (const pattern of [/^\d+(?:-\d+)*$/, /<[^\s<>@]+@[^\s<>@]+>/]) assert.ok(!slow(pattern), `${pattern}`);
  });

  it('match in linear time', () => {
    const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/web/scripts/**'] });
    const all = files.flatMap((file) => patternsIn(file).map((pattern) => ({ file, pattern })));
    assert.ok(all.length > 1000, `${all.length} found`);
    const wrong = all.filter(({ pattern }) => slow(pattern)).map(({ file, pattern }) => `${file}: ${pattern}`);
    assert.deepEqual(wrong, []);
  });
});
