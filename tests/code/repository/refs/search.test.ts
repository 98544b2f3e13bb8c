import assert from 'node:assert/strict';
import { it } from 'node:test';
import { searchRefs } from '../../../../src/code/repository/refs/search.ts';

const names = ['Feature', 'feature', 'feature-one', 'fix/feature', 'main', 'v1.0', 'v1.0-rc'];
const refs = names.map((name) => ({ name }));

const cases: [search: string, found: string[]][] = [
  ['feature', ['Feature', 'feature', 'feature-one', 'fix/feature']],
  ['MAIN', ['main']],
  ['^fix', ['fix/feature']],
  ['feature$', ['Feature', 'feature', 'fix/feature']],
  ['^feature$', ['Feature', 'feature']],
  ['f*one', ['feature-one']],
  ['^f*ture$', ['Feature', 'feature', 'fix/feature']],
  ['v1.0', ['v1.0', 'v1.0-rc']],
  ['v1x0', []],
  ['*', names],
  ['^', names],
  ['$', names],
  ['^$', []],
  ['nothing', []],
];

for (const [search, found] of cases) {
  it(`finds ${JSON.stringify(found)} for ${search}`, () => {
    assert.deepEqual(
      searchRefs(refs, search).map((ref) => ref.name),
      found,
    );
  });
}

it('lists an exact match first unless the term is a pattern', () => {
  const found = (search: string) => searchRefs([{ name: 'a-b' }, { name: 'b' }], search).map((ref) => ref.name);
  assert.deepEqual(found('b'), ['b', 'a-b']);
  assert.deepEqual(found('b$'), ['a-b', 'b']);
});

it('matches a catastrophic pattern in linear time', () => {
  assert.deepEqual(searchRefs([{ name: 'a'.repeat(900) }], `${'*a'.repeat(2000)}b`), []);
});
