import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fullName, isGemName, readGemspec } from '../../../src/ci/packages/rubygems/gemspec.ts';
import * as marshal from '../../../src/ci/packages/rubygems/marshal.ts';
import { latestGems } from '../../../src/ci/packages/rubygems/service.ts';
import { compareGemVersions, isGemPrerelease, isGemVersion } from '../../../src/ci/packages/rubygems/versions.ts';
import { gemspecText, needs } from './gem-files.ts';

describe('gem specification', () => {
  it('is parsed', () => {
    const more = `email: a@b.c\nlicenses:\n- MIT\nmetadata:\n  home: here\n${needs('oil', '~>', "'1.0'")}`;
    assert.deepEqual(readGemspec(gemspecText('lamp', '1.10', { more })), {
      name: 'lamp',
      version: '1.10',
      platform: 'ruby',
      summary: 'Shines: "é"',
      description: '',
      homepage: '',
      email: ['a@b.c'],
      authors: ['A'],
      licenses: ['MIT'],
      metadata: { home: 'here' },
      date: '2026-11-18',
      rubygems_version: '',
      required_ruby_version: [['>=', '2.0']],
      required_rubygems_version: [['>=', '0']],
      dependencies: [{ name: 'oil', type: 'runtime', requirements: [['~>', '1.0']] }],
    });
    const development = readGemspec(gemspecText('lamp', '1.0', { more: needs('wick', '=', '1', ':development') }));
    assert.equal(development?.dependencies[0]?.type, 'development');
    assert.equal(fullName({ name: 'lamp', version: '1.0', platform: 'java' }), 'lamp-1.0-java');
  });

  const grown = `a: &a [${'x,'.repeat(9)}x]\n${[...'bcdefgh']
    .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}*${'abcdefg'[index]}]`)
    .join('\n')}\nlicenses: *h\n`;
  const wrong: readonly (readonly [what: string, source: string])[] = [
    ['nothing', ''],
    ['a list', '- a'],
    ['invalid YAML', 'a: [b'],
    ['no version', 'name: lamp\n'],
    ['an invalid version', gemspecText('lamp', 'latest')],
    ['a name with a path', gemspecText('../lamp', '1.0')],
    ['a name without a letter', gemspecText("'12'", '1.0')],
    ['a platform with a path', gemspecText('lamp', '1.0', { platform: '../../x' })],
    ['a name and version too long for a file name', gemspecText('x'.repeat(250), '1.0.0')],
    ['a dependency without a name', gemspecText('lamp', '1.0', { more: needs('', '=', '1') })],
    ['an invalid operator', gemspecText('lamp', '1.0', { more: needs('oil', '=~', '1') })],
    ['an invalid required version', gemspecText('lamp', '1.0', { more: needs('oil', '=', '-1') })],
    [
      'requirements that are strings',
      gemspecText('lamp', '1.0', { more: 'required_rubygems_version: {requirements: x}\n' }),
    ],
    ['exponentially growing aliases', gemspecText('lamp', '1.0', { more: grown })],
    ['text beyond the limit', gemspecText('lamp', '1.0', { more: `description: ${'x'.repeat(200_000)}\n` })],
  ];
  for (const [what, source] of wrong) {
    it(`is rejected with ${what}`, () => assert.equal(readGemspec(source), undefined));
  }

  it('determines the file name', () => {
    assert.deepEqual(['lamp', 'a.b_c-D1', '7zip'].map(isGemName), [true, true, true]);
    assert.deepEqual(['', '..', '-a', '.a', 'a/b', 'a b', '1'].map(isGemName), Array(7).fill(false));
  });
});

describe('gem versions', () => {
  it('are validated', () => {
    assert.deepEqual(['0', '1.0', '1.0.0.rc1', '1.a.2'].map(isGemVersion), Array(4).fill(true));
    assert.deepEqual(
      ['', 'a', '1.', '1..2', '1-2', '1 ', `1.${'0'.repeat(200)}`].map(isGemVersion),
      Array(7).fill(false),
    );
    assert.deepEqual(['1.0', '1.0.rc1', '1.0a'].map(isGemPrerelease), [false, true, true]);
  });

  it('are compared', () => {
    const order = ['0.9', '1.0.a', '1.0.a10', '1.0.rc1', '1.0.rc2', '1.0.rc10', '1.0', '1.0.1', '1.9', '1.10', '2'];
    assert.deepEqual(order.toReversed().toSorted(compareGemVersions), order);
    assert.equal(compareGemVersions('1', '1.0.0'), 0);
    assert.equal(compareGemVersions('1.0.pre', '1.0'), -1);
    assert.ok(compareGemVersions(`1.${'9'.repeat(60)}`, `1.${'8'.repeat(60)}`) > 0);
  });

  it('select the latest per name and platform', () => {
    const ruby = { name: 'lamp', platform: 'ruby' };
    const java = { name: 'lamp', version: '1.0', platform: 'java' };
    assert.deepEqual(latestGems([{ ...ruby, version: '1.9' }, java, { ...ruby, version: '1.10' }]), [
      { ...ruby, version: '1.10' },
      java,
    ]);
  });
});

// Expected values are the output of `Marshal.dump` in Ruby 3.1.
describe('Ruby Marshal format', () => {
  const cases: readonly (readonly [what: string, value: Buffer, hex: string])[] = [
    ['nil', marshal.nil, '0408' + '30'],
    ['zero', marshal.integer(0), '0408' + '6900'],
    ['122', marshal.integer(122), '0408' + '697f'],
    ['123', marshal.integer(123), '0408' + '69017b'],
    ['256', marshal.integer(256), '0408' + '69020001'],
    ['70000', marshal.integer(70_000), '0408' + '6903701101'],
    ['a string', marshal.text('é'), '0408' + '492207c3a9063a064554'],
    ['a symbol', marshal.symbol('name'), '0408' + '3a096e616d65'],
    ['a list', marshal.list([marshal.yes, marshal.no]), '0408' + '5b075446'],
    ['a hash', marshal.hash([[marshal.symbol('a'), marshal.nil]]), '0408' + '7b063a066130'],
    ['an object', marshal.object('A', { b: marshal.nil }), '0408' + '6f3a0641063a07406230'],
    ['a version', marshal.valued('V', marshal.list([])), '0408' + '553a06565b00'],
    ['a dump', marshal.packed('D', Buffer.from('x')), '0408' + '753a06440678'],
  ];
  for (const [what, value, hex] of cases) {
    it(`encodes ${what}`, () => assert.equal(marshal.document(value).toString('hex'), hex));
  }
});
