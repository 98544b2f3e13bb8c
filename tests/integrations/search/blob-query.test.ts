import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBlobQuery } from '../../../src/integrations/search/blob-query.ts';

describe('code search queries', () => {
  const table: [string, string, Record<string, boolean>][] = [
    ['plain words', 'plain words', { 'any/file.txt': true }],
    ['foo extension:rb', 'foo', { 'a.rb': true, 'a.rbx': false, rb: false }],
    ['filename:*_spec.rb foo', 'foo', { 'x/y_spec.rb': true, 'x/y.rb': false, 'z_spec.rb/a': false }],
    ['filename:read', '', { 'docs/README.md': true, 'read/other': false }],
    ['foo path:lib -path:lib/vendor', 'foo', { 'lib/a': true, 'lib/vendor/a': false, 'src/a': false }],
    ['path:a*c', '', { 'x/a/b/c/d': true, 'x/c/a': false }],
    ['no:filter http://x', 'no:filter http://x', { a: true }],
  ];
  for (const [sent, text, files] of table) {
    it(sent, () => {
      const query = readBlobQuery(sent);
      assert.equal(query.text, text);
      for (const [path, taken] of Object.entries(files)) assert.equal(query.takes(path), taken, path);
    });
  }
});
