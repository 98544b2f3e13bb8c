import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { durationSeconds, neverExpires } from '../../../src/ci/config/duration.ts';
import { compileGlob } from '../../../src/ci/config/expressions/glob.ts';
import { expand, expandAll, expandKnown } from '../../../src/ci/config/variables/variable-expansion.ts';
import { plainScalar } from '../../../src/ci/config/yaml/scalars.ts';
import { Decimal } from '../../../src/ci/config/yaml/values.ts';

describe('durations', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ['42', 42],
    ['42 seconds', 42],
    ['3 mins 4 sec', 184],
    ['2 hrs 20 min', 8400],
    ['2h20min', 8400],
    ['1h30m', 5400],
    ['1 hour 30 min', 5400],
    ['6 mos 1 day', 6 * 30 * 86_400 + 86_400],
    ['47 yrs 6 mos and 4d', 47 * 365.25 * 86_400 + 180 * 86_400 + 4 * 86_400],
    ['3 weeks and 2 days', 23 * 86_400],
    ['1 week, 2 days', 9 * 86_400],
    ['one hour', 3600],
    ['a week', 7 * 86_400],
    ['1.5 hours', 5400],
    ['01:30:00', 5400],
    ['  1 Day ', 86_400],
    ['', null],
    ['never', null],
    ['soon', null],
    ['1 fortnight', null],
    ['hour', null],
    ['1 hour 30', null],
    ['1 2 hours', null],
    ['-1 hour', null],
    ['constructor', null],
    [`${'1 day '.repeat(100)}`, null],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text.slice(0, 40)), () => assert.equal(durationSeconds(text), expected));
  }
  it('recognizes never in any case', () => {
    assert.deepEqual(['never', 'NEVER', ' Never ', 'nevermore'].map(neverExpires), [true, true, true, false]);
  });
});

describe('globs', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['Dockerfile', ['Dockerfile'], ['a/Dockerfile', 'Dockerfile2']],
    ['*.rb', ['a.rb', '.rb'], ['a/b.rb', 'a.rbx']],
    ['**/*.rb', ['a.rb', 'a/b.rb', 'a/.b/c.rb'], ['a.rbx']],
    ['src/**/*', ['src/a', 'src/a/b/c', 'src/.a'], ['src', 'lib/src/a']],
    ['src/**', ['src/a'], ['src/a/b']],
    ['src/*', ['src/a'], ['src/a/b', 'src']],
    ['**/test/*.{js,ts}', ['test/a.js', 'x/y/test/b.ts'], ['test/a.tsx', 'test/x/a.ts']],
    ['{a,b/**/c}.txt', ['a.txt', 'b/c.txt', 'b/x/c.txt'], ['b.txt']],
    ['a?c', ['abc'], ['a/c', 'ac']],
    ['[ab].txt', ['a.txt', 'b.txt'], ['c.txt']],
    ['[!ab].txt', ['c.txt'], ['a.txt', '/.txt']],
    ['a+b(c).txt', ['a+b(c).txt'], ['aab(c).txt']],
    ['\\*.txt', ['*.txt'], ['a.txt']],
    ['a{b', ['a{b'], ['ab']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['weird\nname', ['weird\nname'], ['weird']],
  ];
  for (const [glob, inside, outside] of cases) {
    it(JSON.stringify(glob), () => {
      const pattern = compileGlob(glob);
      for (const path of inside) assert.equal(pattern?.test(path), true, path);
      for (const path of outside) assert.equal(pattern?.test(path), false, path);
    });
  }
  it('rejects long patterns', () => assert.equal(compileGlob('{'.repeat(5000)), undefined));
});

describe('plain scalars', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['', null],
    ['~', null],
    ['null', null],
    ['yes', true],
    ['Off', false],
    ['y', 'y'],
    ['n', 'n'],
    ['1', 1],
    ['-5', -5],
    ['+5', 5],
    ['0644', 420],
    ['0o14', '0o14'],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['1,000', 1000],
    ['08', '08'],
    ['22:22', 1342],
    ['1.5', new Decimal('1.5')],
    ['1.0', new Decimal('1.0')],
    ['3.10', new Decimal('3.1')],
    ['1e3', new Decimal('1000.0')],
    ['1e20', new Decimal('1.0e+20')],
    ['12345678901234567890', new Decimal('12345678901234567890')],
    ['1.2.3', '1.2.3'],
    ['v1', 'v1'],
    ['-', '-'],
    ['.', '.'],
    ['1d', '1d'],
    ['2020-01-01', '2020-01-01'],
  ];
  for (const [text, expected] of cases) it(text, () => assert.deepEqual(plainScalar(text), expected));
});

describe('variable expansion', () => {
  const values: Record<string, string> = { A: 'x', B: '$A-y', LONG_1: 'z' };
  const lookup = (name: string) => values[name];
  const braced = (name: string) => ['$', '{', name, '}'].join('');
  const cases: readonly (readonly [string, string, string])[] = [
    ['$A/b', 'x/b', 'x/b'],
    [braced('A'), 'x', 'x'],
    ['%A%b', 'xb', 'xb'],
    ['$Ab', '', '$Ab'],
    [braced('NONE'), '', braced('NONE')],
    ['$$A', '$$A', '$$A'],
    ['$LONG_1.', 'z.', 'z.'],
    ['100% of 5%', '100% of 5%', '100% of 5%'],
    ['$1 $', '$1 $', '$1 $'],
    ['$B', '$A-y', '$A-y'],
  ];
  for (const [text, all, known] of cases) {
    it(text, () => assert.deepEqual([expand(text, lookup), expandKnown(text, lookup)], [all, known]));
  }
  it('resolves references to each other in any order', () => {
    const resolved = expandAll([
      { key: 'C', value: '$B!' },
      { key: 'B', value: '$A$A' },
      { key: 'A', value: 'a' },
      { key: 'RAW', value: '$A', raw: true },
      { key: 'D', value: '$RAW $NONE' },
      { key: 'FILE', value: '$A', file: true },
      { key: 'E', value: '$FILE' },
      { key: 'LOOP', value: '$POOL' },
      { key: 'POOL', value: '<$LOOP>' },
    ]);
    assert.deepEqual(Object.fromEntries(resolved), {
      C: 'aa!',
      B: 'aa',
      A: 'a',
      RAW: '$A',
      D: '$RAW $NONE',
      FILE: 'a',
      E: '$FILE',
      LOOP: '<$LOOP>',
      POOL: '<$LOOP>',
    });
  });
  it('limits growth', () => {
    const bomb = Array.from({ length: 60 }, (_, at) => ({ key: `V${at}`, value: `$V${at + 1}$V${at + 1}` }));
    const size = [...expandAll([...bomb, { key: 'V60', value: 'xxxxxxxx' }]).values()].join('').length;
    assert.ok(size < 64 * 1024 * 1024);
  });
  it('handles long chains without a stack overflow', () => {
    const chain = Array.from({ length: 5000 }, (_, at) => ({ key: `V${at}`, value: `$V${at + 1}` }));
    assert.equal(expandAll(chain).size, 5000);
  });
});
