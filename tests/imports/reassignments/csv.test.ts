import assert from 'node:assert/strict';
import { it } from 'node:test';
import { csvLine, readCsv } from '../../../src/imports/reassignments/csv.ts';

it('parses CSV written by spreadsheets', () => {
  const table: [string, string[][]][] = [
    ['', []],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,\r\n',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['"a, ""b""\nc",d', [['a, "b"\nc', 'd']]],
    ['a,', [['a', '']]],
    ['\n\na\n', [['a']]],
  ];
  for (const [text, rows] of table) assert.deepEqual(readCsv(text), rows, JSON.stringify(text));
  assert.throws(() => readCsv('"a"b,c'), SyntaxError);
  assert.throws(() => readCsv('"never closed'), SyntaxError);
});

it('writes CSV that parses back, and escapes formulas', () => {
  const fields = ['a, b', 'say "x"', 'two\nlines', ''];
  assert.deepEqual(readCsv(csvLine(fields)), [fields]);
  assert.equal(csvLine(['=1+1', '@sum']), "'=1+1,'@sum\n");
});
