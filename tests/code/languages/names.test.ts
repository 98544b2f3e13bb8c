import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageOf, languageShares } from '../../../src/code/languages/names.ts';

describe('languageOf', () => {
  const table: [string, string | undefined][] = [
    ['src/app.ts', 'TypeScript'],
    ['Makefile', 'Makefile'],
    ['docker/Dockerfile', 'Dockerfile'],
    ['lib/a.RB', 'Ruby'],
    ['node_modules/x/index.js', undefined],
    ['static/app.min.js', undefined],
    ['README.md', undefined],
    ['data.json', undefined],
    ['.gitignore', undefined],
    ['constructor', undefined],
    ['x.__proto__', undefined],
  ];
  for (const [path, language] of table) it(`${path} -> ${language}`, () => assert.equal(languageOf(path), language));
  it('converts bytes to percentages', () => {
    assert.deepEqual(
      languageShares(
        new Map([
          ['Go', 1],
          ['Ruby', 2],
        ]),
      ),
      { Ruby: 66.67, Go: 33.33 },
    );
    assert.deepEqual(languageShares(new Map()), {});
  });
});
