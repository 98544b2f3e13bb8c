import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globOf, likeOf, regexOf } from '../../../src/platform/database/letter-case.ts';

const cases: readonly (readonly [needle: string, glob: string, like: string | null, regex: string | null])[] = [
  ['Moss', '*moss*', '%moss%', null],
  ['100%_', '*100%_*', '%100\\%\\_%', null],
  ['a*b?[c]', '*a[*]b[?][[]c]*', '%a*b?[c]%', null],
  ['日本', '*日本*', '%日本%', null],
  ['ı', '*ı*', '%ı%', null],
  ['École', '*[Éé]cole*', null, '[Éé]cole'],
  ['é.(x)', '*[éÉ].(x)*', null, '[éÉ]\\.\\(x\\)'],
  ['Σ', '*[Σσς]*', null, '[Σσς]'],
  ['***=é', '*[*][*][*]=[éÉ]*', null, '\\*\\*\\*=[éÉ]'],
];

for (const [needle, glob, like, regex] of cases) {
  test(`patterns for ${needle}`, () => {
    assert.deepEqual([globOf(needle), likeOf(needle), regexOf(needle)], [glob, like, regex]);
  });
}
