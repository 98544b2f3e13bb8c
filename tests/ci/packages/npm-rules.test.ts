import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDeprecations, readPublication, versionMember } from '../../../src/ci/packages/npm/document.ts';
import { isNpmName, isNpmTag, readNpmAddress, readNpmTagAddress } from '../../../src/ci/packages/npm/names.ts';
import { isSemver } from '../../../src/ci/packages/rules.ts';
import { SpooledText } from '../../../src/platform/http/bodies/upload.ts';

const all = (rule: (text: string) => boolean, texts: readonly string[]) => texts.map((text) => rule(text));

describe('npm package names', () => {
  it('are valid with or without scope', () => {
    const right = ['a', 'Some.Thing_1', '@scope/name', '@a.b/c-d', 'a+b', 'x'.repeat(214)];
    assert.deepEqual(all(isNpmName, right), Array(right.length).fill(true));
    const wrong = [
      '',
      '-',
      '.',
      '..',
      '.a',
      'a/b',
      '@a',
      '@a/',
      '@/a',
      '@a/b/c',
      'a b',
      'ä',
      '@a/../b',
      '@a/-',
      'a%2fb',
    ];
    assert.deepEqual(all(isNpmName, [...wrong, 'x'.repeat(215)]), Array(wrong.length + 1).fill(false));
  });

  it('have versions, and tags that cannot be mistaken for versions', () => {
    const right = ['0.0.0', '1.2.3', '1.2.3-rc.1', '1.0.0-a.b+build.5', '10.20.30'];
    assert.deepEqual(all(isSemver, right), Array(right.length).fill(true));
    const wrong = ['', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3/..', '1.2.3 ', 'latest'];
    assert.deepEqual(all(isSemver, wrong), Array(wrong.length).fill(false));
    assert.deepEqual(all(isNpmTag, ['latest', 'next', 'rc.1', 'very-new', 'extra']), Array(5).fill(true));
    assert.deepEqual(
      all(isNpmTag, ['1.2.3', '1', 'v1', 'V1.x', 'x', 'a b', '', '^1', '*', 'a/b']),
      Array(10).fill(false),
    );
  });

  it('are parsed from URLs', () => {
    const cases: readonly [string, object | undefined][] = [
      ['a', { name: 'a' }],
      ['@s/a', { name: '@s/a' }],
      ['@s/a/-/@s/a-1.0.0.tgz', { name: '@s/a', file: '@s/a-1.0.0.tgz' }],
      ['a/-/a-1.0.0.tgz', { name: 'a', file: 'a-1.0.0.tgz' }],
      ['a/-/', undefined],
      ['a/-/b/-/c', undefined],
      ['a/-rev/1', undefined],
      ['-/ping', undefined],
      ['../a', undefined],
      ['', undefined],
    ];
    for (const [rest, address] of cases) assert.deepEqual(readNpmAddress(rest), address, rest);
    const tags: readonly [string, object | undefined][] = [
      ['a/dist-tags', { name: 'a' }],
      ['@s/a/dist-tags', { name: '@s/a' }],
      ['@s/a/dist-tags/next', { name: '@s/a', tag: 'next' }],
      ['@s/dist-tags/dist-tags', { name: '@s/dist-tags' }],
      ['a', undefined],
      ['a/b/dist-tags', undefined],
      ['a/dist-tags/b/c', undefined],
    ];
    for (const [rest, address] of tags) assert.deepEqual(readNpmTagAddress(rest), address, rest);
  });
});

const about = {
  name: 'a',
  version: '1.0.0',
  dependencies: { b: '^1' },
  readme: 'long',
  dist: { tarball: 'x' },
  evil: 1,
};
const sent = (change: object = {}) => ({
  name: 'a',
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': about },
  _attachments: { 'a-1.0.0.tgz': { data: 'AAAA' } },
  ...change,
});

describe('npm package document', () => {
  it('is parsed into a version with the stored fields of package.json', () => {
    const read = readPublication('a', sent());
    assert.deepEqual(read, {
      version: '1.0.0',
      data: 'AAAA',
      manifest: '{"dependencies":{"b":"^1"}}',
      deprecated: null,
      tags: ['latest'],
    });
    const scripts = { ...about, scripts: { postinstall: 'x', test: 'y' }, deprecated: 'old' };
    const second = readPublication('a', sent({ versions: { '1.0.0': scripts }, 'dist-tags': {} }));
    assert.equal(second.manifest, '{"dependencies":{"b":"^1"},"hasInstallScript":true}');
    assert.deepEqual([second.deprecated, second.tags], ['old', ['latest']]);
  });

  it('is rejected if invalid', () => {
    const spooled = new SpooledText('/nowhere', 100_000);
    const wrong: readonly [string, object][] = [
      ['versions must hold one version', { versions: undefined }],
      ['versions must hold one version', { versions: {} }],
      ['versions must hold one version', { versions: [] }],
      ['versions must hold one version', { versions: { '1.0.0': about, '1.0.1': about } }],
      ['versions must hold one version', { versions: { '1.0.0': spooled } }],
      ['Version is invalid', { versions: { '1': { ...about, version: '1' } } }],
      ['Version is invalid', { versions: { '1.0.1': about } }],
      ['Name is invalid', { name: 'b' }],
      ['Name is invalid', { versions: { '1.0.0': { ...about, name: 'b' } } }],
      ['Attachment data is empty.', { _attachments: {} }],
      ['Attachment data is empty.', { _attachments: { x: { data: '' } } }],
      ['Attachment data is empty.', { _attachments: { x: { data: 5 } } }],
      ['Tag is invalid', { 'dist-tags': { latest: '2.0.0' } }],
      ['Tag is invalid', { 'dist-tags': { '1.0.0': '1.0.0' } }],
      [
        'Package json structure is too large. Maximum size is 20000 characters',
        { versions: { '1.0.0': { ...about, description: 'x'.repeat(20_001) } } },
      ],
      [
        'Package json structure is too large. Maximum size is 20000 characters',
        { versions: { '1.0.0': { ...about, author: { name: spooled } } } },
      ],
      [
        'deprecated is too long (maximum is 1024 characters)',
        { versions: { '1.0.0': { ...about, deprecated: 'x'.repeat(1025) } } },
      ],
    ];
    for (const [text, change] of wrong) {
      assert.throws(() => readPublication('a', sent(change)), { body: { message: `400 Bad request - ${text}` } }, text);
    }
  });

  it('contains deprecations and their removal', () => {
    const versions = { '1.0.0': { deprecated: 'old' }, '1.0.1': { deprecated: '' }, '1.0.2': {}, '1.0.3': 5 };
    assert.deepEqual(
      [...readDeprecations({ versions })],
      [
        ['1.0.0', 'old'],
        ['1.0.1', null],
      ],
    );
    assert.throws(() => readDeprecations({}), /versions/);
  });

  it('lists each version with its tarball', () => {
    const row = { project_id: 3, version: '1.0.0', integrity: 'sha512-x', sha1: 'abc', file_name: '@s/a-1.0.0.tgz' };
    const member = (manifest: string, deprecated: string | null) =>
      JSON.parse(`{${versionMember('https://h/api/v4', '@s/a', { ...row, manifest, deprecated })}}`);
    const dist = {
      shasum: 'abc',
      integrity: 'sha512-x',
      tarball: 'https://h/api/v4/projects/3/packages/npm/@s/a/-/@s/a-1.0.0.tgz',
    };
    assert.deepEqual(member('{}', null), { '1.0.0': { name: '@s/a', version: '1.0.0', dist } });
    assert.deepEqual(member('{"bin":"x"}', 'o"ld'), {
      '1.0.0': { name: '@s/a', version: '1.0.0', dist, deprecated: 'o"ld', bin: 'x' },
    });
  });
});
