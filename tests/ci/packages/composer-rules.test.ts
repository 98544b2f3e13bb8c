import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentText, readManifest, type StoredVersion } from '../../../src/ci/packages/composer/document.ts';
import {
  isComposerName,
  isDevVersion,
  readArchivePath,
  readMetadataPath,
  readProviderPath,
  versionOfBranch,
  versionOfTag,
} from '../../../src/ci/packages/composer/names.ts';

describe('Composer package names', () => {
  it('consist of a vendor and a name', () => {
    const right = ['a/b', 'acme/lamp', 'acme-2/lamp.shade', 'a_b/c--d', '0/1'];
    const wrong = ['', 'a', 'a/', '/b', 'A/b', 'a/B', 'a/b/c', 'a b/c', '-a/b', 'a/b-', 'a--b/c', 'a/b---c', '../x'];
    for (const name of right) assert.equal(isComposerName(name), true, name);
    for (const name of [...wrong, `a/${'b'.repeat(254)}`]) assert.equal(isComposerName(name), false, name);
  });

  it('are rejected quickly, however long they are', () => {
    assert.equal(isComposerName(`a/${'a'.repeat(250)}!`), false);
    assert.equal(readProviderPath(`${'a/'.repeat(100_000)}$`), undefined);
    assert.equal(readMetadataPath(`${'~dev'.repeat(100_000)}!`), undefined);
    assert.equal(versionOfTag(`1-beta${'1'.repeat(240)}!`), undefined);
  });
});

describe('Composer versions', () => {
  it('are derived from tags', () => {
    const cases: readonly (readonly [tag: string, version: string | undefined])[] = [
      ['1.0.0', '1.0.0'],
      ['v1.0.0', '1.0.0'],
      ['2', '2'],
      ['1.2', '1.2'],
      ['v1.0.0-beta.2', '1.0.0-beta.2'],
      ['1.0.0-RC1', '1.0.0-RC1'],
      ['1.0.0-alpha', '1.0.0-alpha'],
      ['1.0.0-p3', '1.0.0-p3'],
      ['1.0.0-dev', '1.0.0-dev'],
      ['1.0.0.0', undefined],
      ['latest', undefined],
      ['v', undefined],
      ['1.0.0-', undefined],
      ['1.0.0 ', undefined],
      ['release/1.0', undefined],
      [`1.${'0'.repeat(300)}`, undefined],
    ];
    for (const [tag, version] of cases) assert.equal(versionOfTag(tag), version, tag);
  });

  it('are derived from branches', () => {
    const cases: readonly (readonly [branch: string, version: string | undefined])[] = [
      ['main', 'dev-main'],
      ['feature/lamp', 'dev-feature/lamp'],
      ['1.x', '1.x-dev'],
      ['v2.x', '2.x-dev'],
      ['2.0', '2.0.x-dev'],
      ['2.0.x', '2.0.x-dev'],
      ['3', '3.x-dev'],
      ['1.2.3', '1.2.3.x-dev'],
      ['1.2-fix', 'dev-1.2-fix'],
      ['x'.repeat(252), undefined],
    ];
    for (const [branch, version] of cases) assert.equal(versionOfBranch(branch), version, branch);
  });

  it('are recognized as branch or release versions', () => {
    const dev = (version: string) => isDevVersion(version);
    assert.deepEqual(['dev-main', '1.x-dev', '1.0.0', '1.0.0-beta1', '1.0-DEV'].map(dev), [
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('Composer URLs', () => {
  it('are parsed', () => {
    assert.deepEqual(readMetadataPath('acme/lamp.json'), { name: 'acme/lamp', dev: false });
    assert.deepEqual(readMetadataPath('acme/lamp'), { name: 'acme/lamp', dev: false });
    assert.deepEqual(readMetadataPath('acme/lamp~dev.json'), { name: 'acme/lamp', dev: true });
    for (const rest of ['', 'acme', 'acme/lamp~x.json', 'acme/lamp/more.json']) {
      assert.equal(readMetadataPath(rest), undefined, rest);
    }
    assert.equal(readProviderPath('acme/lamp$0a.json'), 'acme/lamp');
    for (const rest of ['acme/lamp', 'acme/lamp$', 'acme/lamp$x.json', '$0a', 'acme$0a']) {
      assert.equal(readProviderPath(rest), undefined, rest);
    }
    assert.equal(readArchivePath('acme/lamp.zip'), 'acme/lamp');
    assert.equal(readArchivePath('acme/lamp'), 'acme/lamp');
    assert.equal(readArchivePath('acme/../lamp.zip'), undefined);
  });
});

describe('composer.json', () => {
  it('is stored without the fields set by the registry', () => {
    const text = JSON.stringify({
      name: 'acme/lamp',
      version: '9.9.9',
      dist: { url: 'https://elsewhere.example' },
      source: { url: 'https://elsewhere.example' },
      'transport-options': { ssl: { verify_peer: false } },
      require: { php: '>=8' },
      extra: {},
    });
    const { name, manifest } = readManifest(text);
    assert.equal(name, 'acme/lamp');
    assert.deepEqual(JSON.parse(manifest), { require: { php: '>=8' }, extra: {} });
  });

  it('is rejected if invalid', () => {
    for (const text of ['', '{', 'null', '[]', '"acme/lamp"', '{}', '{"name":1}', '{"name":"Lamp"}']) {
      assert.throws(() => readManifest(text), { status: 422 }, text);
    }
  });

  it('is included in the metadata once per version', async () => {
    const places = { externalUrl: 'https://hearth.example', pathOf: () => 'acme/lamp' };
    const row = (package_id: number, version: string, manifest: string): StoredVersion => ({
      ...{ package_id, project_id: 7, name: 'acme/lamp', version, target_sha: 'ab'.repeat(20), manifest },
    });
    const rows = [row(1, '1.0.0', '{}'), row(2, 'dev-main', '{"type":"library"}'), row(3, '1.0.0', '{"type":"x"}')];
    let text = '';
    for await (const piece of documentText(places, 'acme/lamp', rows)) text += piece;
    const reference = 'ab'.repeat(20);
    const url = `https://hearth.example/api/v4/projects/7/packages/composer/archives/acme/lamp.zip?sha=${reference}`;
    const found = {
      name: 'acme/lamp',
      dist: { type: 'zip', url, reference, shasum: '' },
      source: { type: 'git', url: 'https://hearth.example/acme/lamp.git', reference },
    };
    assert.deepEqual(JSON.parse(text), {
      packages: {
        'acme/lamp': {
          '1.0.0': { ...found, version: '1.0.0', uid: 1 },
          'dev-main': { ...found, version: 'dev-main', uid: 2, type: 'library' },
        },
      },
    });
  });
});
