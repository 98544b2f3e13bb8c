import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from './results.ts';

const files = Array.from({ length: 8 }, (_, index) => `${index}.test.ts`);
const lines = (failed: readonly string[], names: readonly string[] = files) =>
  names.map((name) => `${JSON.stringify({ name, passed: !failed.includes(name) })}\n`).join('');

describe('the results of a complete run', () => {
  for (const [what, report, verdict] of [
    ['all passed', lines([]), { unfinished: [], repeat: [] }],
    ['a few failed', lines(['2.test.ts', '5.test.ts']), { unfinished: [], repeat: ['2.test.ts', '5.test.ts'] }],
    ['many failed', lines(files.slice(0, 6)), { unfinished: [], repeat: [] }],
    ['a process failed', lines(['2.test.ts', '0.mjs'], [...files, '0.mjs']), { unfinished: [], repeat: [] }],
    ['a process ended early', lines(['2.test.ts'], files.slice(1)), { unfinished: ['0.test.ts'], repeat: [] }],
    ['nothing ran', '', { unfinished: files, repeat: [] }],
  ] as const) {
    it(`repeats ${verdict.repeat.length} files if ${what}`, () => assert.deepEqual(judge(report, files), verdict));
  }
});
