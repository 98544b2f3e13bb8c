import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { openToken, sealToken } from '../../../src/access/credentials/sealed-token.ts';
import { readInfo } from '../../../src/ci/packages/conan/info.ts';
import { parseV1FilePath, parseV1Path, parseV2Path } from '../../../src/ci/packages/conan/paths.ts';
import { createEncryption } from '../../../src/platform/secrets/encryption.ts';

const recipe = { name: 'lamp', version: '1.0', username: 'acme+lamps', channel: 'stable' };
const at = 'lamp/1.0/acme+lamps/stable';
const rr = 'a'.repeat(32);
const pr = 'b'.repeat(32);
const ref = 'c'.repeat(40);

describe('Conan requests', () => {
  type Case = readonly [path: string, asked: Record<string, string> | undefined];
  const first: readonly Case[] = [
    [at, { what: 'snapshot' }],
    [`${at}/digest`, { what: 'urls' }],
    [`${at}/download_urls`, { what: 'urls' }],
    [`${at}/upload_urls`, { what: 'upload_urls' }],
    [`${at}/search`, { what: 'search' }],
    [`${at}/packages/${ref}`, { what: 'snapshot', package_reference: ref }],
    [`${at}/packages/${ref}/digest`, { what: 'urls', package_reference: ref }],
    [`${at}/packages/${ref}/upload_urls`, { what: 'upload_urls', package_reference: ref }],
    ['lamp/1.0/stable', undefined],
    [`${at}/other`, undefined],
    [`${at}/toString`, undefined],
    [`${at}/packages`, undefined],
    [`${at}/packages/a-b`, undefined],
    [`${at}/packages/${ref}/toString`, undefined],
    [`${at}/packages/${ref}/digest/more`, undefined],
    ['lamp/../acme/stable', undefined],
    ['la mp/1.0/acme/stable', undefined],
    ['', undefined],
  ];
  const files: readonly Case[] = [
    [`${at}/0/export/conanfile.py`, { what: 'file', recipe_revision: '0', file_name: 'conanfile.py' }],
    [
      `${at}/${rr}/package/${ref}/0/conaninfo.txt`,
      {
        what: 'file',
        recipe_revision: rr,
        package_reference: ref,
        package_revision: '0',
        file_name: 'conaninfo.txt',
      },
    ],
    [`${at}/0/export/`, undefined],
    [`${at}/0/export/../x`, undefined],
    [`${at}/1/export/conanfile.py`, undefined],
    [`${at}/0/other/conanfile.py`, undefined],
    [`${at}/0/package/${ref}/x/conaninfo.txt`, undefined],
  ];
  const second: readonly Case[] = [
    [`${at}/latest`, { what: 'latest' }],
    [`${at}/revisions`, { what: 'revisions' }],
    [`${at}/search`, { what: 'search' }],
    [`${at}/revisions/${rr}`, { what: 'revision', recipe_revision: rr }],
    [`${at}/revisions/${rr}/search`, { what: 'search', recipe_revision: rr }],
    [`${at}/revisions/${rr}/files`, { what: 'files', recipe_revision: rr }],
    [
      `${at}/revisions/${rr}/files/metadata/a/b.log`,
      { what: 'file', recipe_revision: rr, file_name: 'metadata/a/b.log' },
    ],
    [`${at}/revisions/${rr}/packages`, { what: 'packages', recipe_revision: rr }],
    [`${at}/revisions/${rr}/packages/${ref}/latest`, { what: 'latest', recipe_revision: rr, package_reference: ref }],
    [
      `${at}/revisions/${rr}/packages/${ref}/revisions`,
      { what: 'revisions', recipe_revision: rr, package_reference: ref },
    ],
    [
      `${at}/revisions/${rr}/packages/${ref}/revisions/${pr}`,
      { what: 'revision', recipe_revision: rr, package_reference: ref, package_revision: pr },
    ],
    [
      `${at}/revisions/${rr}/packages/${ref}/revisions/${pr}/files/conaninfo.txt`,
      {
        what: 'file',
        recipe_revision: rr,
        package_reference: ref,
        package_revision: pr,
        file_name: 'conaninfo.txt',
      },
    ],
    [at, undefined],
    [`${at}/other`, undefined],
    [`${at}/latest/${rr}`, undefined],
    [`${at}/revisions/nonsense/files`, undefined],
    [`${at}/revisions/${rr}/other`, undefined],
    [`${at}/revisions/${rr}/packages/${ref}`, undefined],
    [`${at}/revisions/${rr}/packages/${ref}/other/${pr}`, undefined],
    [`${at}/revisions/${rr}/packages/${ref}/revisions/${pr}/other`, undefined],
  ];
  for (const [what, read, cases] of [
    ['protocol version 1', parseV1Path, first],
    ['the file endpoint of version 1', parseV1FilePath, files],
    ['protocol version 2', parseV2Path, second],
  ] as const) {
    for (const [path, asked] of cases) {
      it(`to ${what} are parsed from ${path}`, () => {
        assert.deepEqual(read(path), asked && { ...recipe, ...asked });
      });
    }
  }
});

describe('Conan package metadata', () => {
  it('is parsed from conaninfo.txt', () => {
    const text = `[settings]\n    os=Linux\n    flags=a=b\n\n[requires]\n    zlib/1.2.11\n[options]\nshared=False\n[other]\nx=y\n[recipe_hash]\n    abc\n`;
    assert.deepEqual(readInfo(text), {
      settings: { os: 'Linux', flags: 'a=b' },
      options: { shared: 'False' },
      requires: { 'zlib/1.2.11': null },
      recipe_hash: 'abc',
    });
    const nothing = { settings: {}, options: {}, requires: {} };
    assert.deepEqual(readInfo(''), nothing);
    assert.deepEqual(readInfo('os=Linux\n[settings]\n=x\nwords\n'), nothing);
  });
});

describe('encrypted token', () => {
  const encryption = createEncryption([{ id: '0123abcd', secret: createSecretKey(Buffer.alloc(32, 1)) }]);

  it('is valid for a day', (context) => {
    const sealed = sealToken(encryption, 'glpat-x');
    assert.ok(!sealed.includes('glpat-x'));
    assert.equal(openToken(encryption, sealed), 'glpat-x');
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 });
    assert.equal(openToken(encryption, sealed), undefined);
  });

  it('is rejected if it was encrypted for another purpose', () => {
    assert.equal(openToken(encryption, encryption.encrypt('{"token":"x","until":9e15}', 'other')), undefined);
    assert.equal(openToken(encryption, 'glpat-x'), undefined);
  });
});
