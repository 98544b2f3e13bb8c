import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluateExpression, isExpression } from '../../../src/ci/config/expressions/expression.ts';

const variables: Record<string, string> = {
  BRANCH: 'main',
  EMPTY: '',
  BLANK: '  ',
  FALSE: 'false',
  OTHER: 'main',
  NESTED: '$BRANCH',
  PATTERN: '/^ma.n$/',
  PLAIN: 'the main road',
  UPPER: 'MAIN',
  PATH: 'src/app.ts',
  LINES: 'a\nmain',
};
const lookup = (name: string): string | undefined => (Object.hasOwn(variables, name) ? variables[name] : undefined);

const cases: readonly (readonly [string, boolean])[] = [
  ['$BRANCH', true],
  ['$EMPTY', false],
  ['$BLANK', false],
  ['$NONE', false],
  ['$FALSE', true],
  ['$NONE == null', true],
  ['$EMPTY == null', false],
  ['$EMPTY == ""', true],
  ["$EMPTY == ''", true],
  ['$NONE == ""', false],
  ['$EMPTY != null', true],
  ['$NONE != null', false],
  ['null == $NONE', true],
  ['$BRANCH == "main"', true],
  ['"main" == $BRANCH', true],
  ['$BRANCH != "main"', false],
  ['$BRANCH == $OTHER', true],
  ['$NONE == $NOTHING', true],
  ['$NESTED == "main"', false],
  ['$NESTED == "$BRANCH"', true],
  ['$FALSE == false', true],
  ['false', false],
  ['true', true],
  ['true && false', false],
  ['false || $BRANCH', true],
  ['($BRANCH == "main") == true', true],
  ['$BRANCH =~ /ai/', true],
  ['$BRANCH =~ /^ai/', false],
  ['$BRANCH !~ /^ai/', true],
  ['$UPPER =~ /main/', false],
  ['$UPPER =~ /main/i', true],
  ['$LINES =~ /^main$/', false],
  ['$LINES =~ /^main$/m', true],
  ['$LINES =~ /a.main/s', true],
  ['$PATH =~ /^src\\/app/', true],
  ['$PATH =~ /\\.ts$/', true],
  ['$NONE =~ /^$|x/', true],
  ['$NONE =~ /main/', false],
  ['$BRANCH =~ $PATTERN', true],
  ['$UPPER =~ $PATTERN', false],
  ['$BRANCH =~ $PLAIN', true],
  ['$UPPER =~ $PLAIN', false],
  ['$BRANCH =~ $NONE', false],
  ['$BRANCH !~ $NONE', true],
  ['$BRANCH && $OTHER', true],
  ['$BRANCH && $NONE', false],
  ['$NONE || $BRANCH', true],
  ['$EMPTY || $BRANCH', false],
  ['$EMPTY && $BRANCH', true],
  ['$NONE || $EMPTY', false],
  ['$BRANCH == "x" || $BRANCH == "main"', true],
  ['$BRANCH == "main" || $NONE && $NONE', true],
  ['($BRANCH == "main" || $NONE) && $NONE', false],
  ['$NONE && $NONE || $BRANCH', true],
  ['$BRANCH=="main"&&$OTHER=="main"', true],
  ['($BRANCH)', true],
  ['(($BRANCH == "main"))', true],
  ['"text"', true],
  ['""', false],
  ['null', false],
  ['$BRANCH\n  == "main"', true],
  ['$BRANCH == "main" == "true"', true],
  ['$__proto__', false],
];

const invalid: readonly string[] = [
  '',
  '   ',
  '$',
  `$\{BRANCH}`,
  '$A ==',
  '== $A',
  '$A $B',
  '($A',
  '$A)',
  '!$A',
  '$A < "1"',
  '$A & $B',
  '$A =~ /a/',
  '$A =~ //',
  '$A =~ /(/',
  '$A =~ /a(?=b)/',
  '$A =~ /abc/x',
  '"open',
  'main',
  'nullable',
  '/ab/ == $A',
  Array.from({ length: 60 }, () => '$A').join(' && '),
];

describe('expressions', () => {
  for (const [text, expected] of cases) {
    it(`${JSON.stringify(text)} is ${expected}`, () => assert.equal(evaluateExpression(text, lookup), expected));
  }
  for (const text of invalid) {
    it(`${JSON.stringify(text.slice(0, 40))} is invalid`, () => assert.equal(isExpression(text), false));
  }
  it('limits expressions to a hundred tokens', () => {
    assert.equal(isExpression(`${'$A && '.repeat(49)}$A`), true);
    assert.equal(isExpression(`${'$A && '.repeat(50)}$A`), false);
  });
  it('evaluates patterns in linear time', () => {
    assert.equal(
      evaluateExpression('$A =~ /^(a+)+$/', () => `${'a'.repeat(50_000)}!`),
      false,
    );
  });
});
