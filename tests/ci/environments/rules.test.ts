import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameProblem, slugOf, tierOf, urlProblem } from '../../../src/ci/environments/rules.ts';

describe('environment rules', () => {
  const plain = ['production', 'staging-1', 'a'];
  for (const name of plain) it(`${name} is its own slug`, () => assert.equal(slugOf(name), name));

  const digested = ['review/app', 'Production', '1st', 'x'.repeat(25), 'ends-', 'a b'];
  for (const name of digested) {
    it(`${name} gets a slug with a digest`, () => {
      const slug = slugOf(name);
      assert.match(slug, /^[a-z][a-z0-9-]{0,16}-[a-z0-9]{6}$/);
      assert.notEqual(slug, slugOf(`${name}x`));
    });
  }

  const tiers = [
    ['production', 'production'],
    ['live', 'production'],
    ['review/one', 'development'],
    ['pre-production', 'staging'],
    ['QA', 'testing'],
    ['customers', 'other'],
  ] as const;
  for (const [name, tier] of tiers) it(`${name} is of the tier ${tier}`, () => assert.equal(tierOf(name), tier));

  it('validate names and URLs', () => {
    for (const name of ['', ' ', '/a', 'a/', 'a;b', 'a'.repeat(256)]) assert.notEqual(nameProblem(name), undefined);
    for (const name of ['a', 'a/b', 'a b', '$X']) assert.equal(nameProblem(name), undefined);
    for (const url of ['javascript:alert(1)', 'x', 'data:text/html,x', `https://a/${'b'.repeat(255)}`]) {
      assert.notEqual(urlProblem(url), undefined);
    }
    assert.equal(urlProblem('https://example.com/x'), undefined);
  });
});
