import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorMap, rubyDump } from '../../../../src/platform/http/responses/ruby-dump.ts';

const table: [ErrorMap, string][] = [
  [{}, '{}'],
  [{ path: ['has already been taken'] }, '{:path=>["has already been taken"]}'],
  [{ name: ["can't be blank"], path: ['a', 'b'] }, '{:name=>["can\'t be blank"], :path=>["a", "b"]}'],
  [{ 'project_namespace.name': ['x'] }, '{:"project_namespace.name"=>["x"]}'],
  [{ path: ['"quoted" \\ #{code} #1'] }, '{:path=>["\\"quoted\\" \\\\ \\#{code} #1"]}'],
  [{ path: ['line\nbreak\u0007'] }, '{:path=>["line\\nbreak\\x07"]}'],
  [{ path: ['Größe 🎉'] }, '{:path=>["Größe 🎉"]}'],
];

for (const [errors, dump] of table) {
  test(dump, () => {
    assert.equal(rubyDump(errors), dump);
  });
}
