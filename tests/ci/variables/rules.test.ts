import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostSpecific, scopeRank } from '../../../src/ci/variables/environment-scope.ts';
import { type CheckedVariable, checkVariable } from '../../../src/ci/variables/rules.ts';
import { Invalid } from '../../../src/platform/http/errors.ts';

describe('environment scopes', () => {
  const applies: readonly (readonly [string, string | null, boolean])[] = [
    ['*', null, true],
    ['*', 'production', true],
    ['production', null, false],
    ['production', 'production', true],
    ['production', 'Production', false],
    ['review/*', 'review/a/b', true],
    ['review/*', 'review', false],
    ['*/app', 'review/app', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c', false],
    ['aa*aa', 'aaa', false],
    ['a*b*b', 'ab', false],
  ];
  for (const [scope, environment, expected] of applies) {
    it(`${scope} ${expected ? 'applies' : 'does not apply'} to ${environment}`, () => {
      assert.equal(scopeRank(scope, environment) !== null, expected);
    });
  }

  it('select the most specific variable of each key', () => {
    const rows = ['*', 'review/*', 'review/a*', 'review/app'].map((scope) => ({ key: 'K', environment_scope: scope }));
    const chosen = (environment: string | null) => mostSpecific(rows, environment).map((row) => row.environment_scope);
    assert.deepEqual(chosen(null), ['*']);
    assert.deepEqual(chosen('review/b'), ['review/*']);
    assert.deepEqual(chosen('review/abc'), ['review/a*']);
    assert.deepEqual(chosen('review/app'), ['review/app']);
  });

  it('match in linear time for any pattern', () => {
    assert.equal(scopeRank(`${'a*'.repeat(120)}b`, 'a'.repeat(255)), null);
  });
});

describe('variable validation', () => {
  const usual: CheckedVariable = {
    key: 'KEY',
    value: 'value',
    variable_type: 'env_var',
    masked: false,
    raw: false,
    environment_scope: '*',
    description: null,
  };
  const refused: readonly (readonly [Partial<CheckedVariable>, Record<string, string[]>])[] = [
    [{ key: '' }, { key: ["can't be blank"] }],
    [{ key: 'a-b' }, { key: ["can contain only letters, digits and '_'."] }],
    [{ key: 'k'.repeat(256) }, { key: ['is too long (maximum is 255 characters)'] }],
    [{ masked: true, value: 'short' }, { value: ['is invalid'] }],
    [{ masked: true, value: 'with space' }, { value: ['is invalid'] }],
    [{ masked: true, value: 'dollars$' }, { value: ['is invalid'] }],
    [{ masked: true, raw: true, value: 'two lines\n' }, { value: ['is invalid'] }],
    [{ description: 'd'.repeat(256) }, { description: ['is too long (maximum is 255 characters)'] }],
  ];
  for (const [change, errors] of refused) {
    it(`with ${JSON.stringify(change).slice(0, 60)} are rejected`, () => {
      assert.throws(
        () => checkVariable({ ...usual, ...change }, false),
        (error: unknown) => {
          assert.ok(error instanceof Invalid);
          assert.deepEqual(error.errors, errors);
          return true;
        },
      );
    });
  }

  it('accepts maskable values and limits the length of instance variables', () => {
    checkVariable({ ...usual, masked: true, value: 'abc+=/@:.~-_1' }, false);
    checkVariable({ ...usual, masked: true, raw: true, value: 'dollars$!' }, false);
    checkVariable({ ...usual, value: 'x'.repeat(20_000) }, false);
    assert.throws(() => checkVariable({ ...usual, value: 'x'.repeat(10_001) }, true), Invalid);
    checkVariable({ ...usual, variable_type: 'file', value: 'x'.repeat(50_000) }, true);
  });
});
