import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickReadme } from '../../../src/code/upkeep/refresh.ts';

describe('pickReadme', () => {
  const table: [string[], string | null][] = [
    [['a.txt', 'README', 'readme.md'], 'readme.md'],
    [['README.rst', 'README'], 'README.rst'],
    [['README', 'READMEs'], 'README'],
    [['readme.exe'], null],
    [[], null],
  ];
  for (const [names, found] of table) it(`${names} -> ${found}`, () => assert.equal(pickReadme(names), found));
});
