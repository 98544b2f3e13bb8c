import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRow, writeRow } from '../../../src/platform/database/transfer/rows.ts';

test('rows survive encoding and decoding', () => {
  const row = [1, -2.5, 'text\u2028\n"{}"', '{"base64":"AA=="}', null, '', Buffer.from([0, 255, 10]), 2 ** 53 - 1];
  const line = writeRow(row);
  assert.doesNotMatch(line, /\n/);
  assert.deepEqual(readRow(line), row);
});

test('values that no column can hold are rejected', () => {
  for (const line of ['{}', '[true]', '[[1]]', '[{"base64":1}]', '[{}]', '[1'])
    assert.throws(() => readRow(line), line);
});
