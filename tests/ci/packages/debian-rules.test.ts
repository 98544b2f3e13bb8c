import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readParagraph, withoutSignature } from '../../../src/ci/packages/debian/formats/paragraph.ts';
import { readChanges, readSourceControl } from '../../../src/ci/packages/debian/formats/upload-lists.ts';
import { BadXz, unpackXz } from '../../../src/ci/packages/debian/formats/xz.ts';
import { isFileName, isPackageName, isVersion, poolLetter } from '../../../src/ci/packages/debian/names.ts';
import { Rejected } from '../../../src/ci/packages/debian/rejected.ts';
import { changes, dsc, signed } from './debian-files.ts';

/** Made by `xz -9`, the second in two blocks. */
const mixedXz = [
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AITAGJdADQZSEmgp0PddsfvlQR1YkojywpsOaBgb56bgwdHiMdnCrj2CJlyOEoXSD2/zd16CpkcUMsalIjPrVUTtXQ1AIUzWCqC060EhAxvnzmWKbNVA6f70i9M0ngaxIWd0oBiOHVAAAAAcbJWtv8ADI8AAX6UBAAAAOuumVmxxGf7AgAAAAAEWVo=',
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AErAA9dADQZSEmgp0Pddsfuj3vAAAAAfUFHLyGSoP4CACEBFgAAAHQv5aPgAOcAYV0AEBoIpiTyB4op+yBIeUh1XI23uTrFEcRopAKclYvthD43ta3cZIKRbjvfSopiFbU7d53DWqgEwxomgKVAu2fq9I4gjn2xgCVmVMlEjSLwq8YtVEKmLEjwb0CqipTVs3OgAAAAAAAlt/981NS3iQACK6wCfegB2DOBPbHEZ/sCAAAAAARZWg==',
].map((text) => Buffer.from(text, 'base64'));
const filteredXz = Buffer.from(
  '/Td6WFoAAATm1rRGAgEEACEBFgANhjUf4AITAGJdADQZSEmgp0PddsfvlQR1YkojywpsOaBgb56bgwdHiMdnCrj2CJlyOEoXSD2/zd16CpkcUMsalIjPrVUTtXQ1AIUzWCqC060EhAxvnzmWKbNVA6f70i9M0ngaxIWd0oBiOHVAAAAAcbJWtv8ADI8AAX6UBAAAAOuumVmxxGf7AgAAAAAEWVo=',
  'base64',
);
const mixed = Buffer.concat([
  Buffer.from('hearth '.repeat(60)),
  Buffer.from(Array.from({ length: 64 }, (_, n) => (n * n * 31 + 7) % 256)),
  Buffer.from('a hearth is warm'.repeat(3)),
]);

describe('xz files', () => {
  it('are unpacked', () => {
    for (const packed of mixedXz) assert.deepEqual(unpackXz(packed, 1000), mixed);
    assert.deepEqual(unpackXz(mixedXz[0] ?? Buffer.alloc(0), mixed.length), mixed);
  });

  it('are rejected beyond the limit, with other filters, and cut off or changed anywhere', () => {
    const [packed = Buffer.alloc(0)] = mixedXz;
    assert.throws(() => unpackXz(packed, mixed.length - 1), BadXz);
    assert.throws(() => unpackXz(filteredXz, 1000), BadXz);
    assert.throws(() => unpackXz(Buffer.from('no'), 1000), BadXz);
    for (let length = 0; length < 120; length += 1) {
      assert.throws(() => unpackXz(packed.subarray(0, length), 1000), BadXz, `${length} bytes`);
    }
    for (let at = 0; at < packed.length; at += 1) {
      const changed = Buffer.from(packed);
      changed[at] = (changed[at] ?? 0) ^ 0xa5;
      try {
        assert.ok(unpackXz(changed, 1000).length <= 1000);
      } catch (error) {
        assert.ok(error instanceof BadXz, `byte ${at}: ${error}`);
      }
    }
  });
});

describe('Debian names', () => {
  it('are checked', () => {
    for (const name of ['lamp', 'lib0', 'g++', 'a.b-c']) assert.ok(isPackageName(name), name);
    for (const name of ['', 'a', 'Lamp', '-lamp', '../lamp', 'la mp', 'lä']) assert.ok(!isPackageName(name), name);
    for (const version of ['1', '1:2.0~rc1+b1-3', '0.1-2ubuntu3']) assert.ok(isVersion(version), version);
    for (const version of ['', 'a', '1/2', '../1', '1 2', ':1', '1:', '1_2']) assert.ok(!isVersion(version), version);
    for (const file of ['lamp_1.0~rc1+b1_amd64.deb', 'Release']) assert.ok(isFileName(file), file);
    for (const file of ['', '.deb', '..', 'a/b', 'a\\b', 'a b', 'a%2fb', '-x', 'x'.repeat(256)]) {
      assert.ok(!isFileName(file), file);
    }
  });

  it('have a folder in the pool', () => {
    const letters = ['lamp', 'liblamp', 'lib', '0ad'].map(poolLetter);
    assert.deepEqual(letters, ['l', 'libl', 'l', '0']);
  });
});

describe('control files', () => {
  it('are one paragraph of distinct fields', () => {
    const read = (text: string) => {
      const paragraph = readParagraph(text);
      return paragraph && Array.from(paragraph.values(), ({ name, value }) => [name, value]);
    };
    assert.deepEqual(read('\nA: 1\r\nB-c:\n one\n .\n  two\n\n\n'), [
      ['A', '1'],
      ['B-c', '\n one\n .\n  two'],
    ]);
    const malformed = ['', '\n', ' A: 1', 'A', 'A: 1\nA: 2', 'A: 1\na: 2', 'A: 1\n\nB: 2', 'A: \0', '-A: 1', '#A: 1'];
    for (const text of malformed) assert.equal(read(text), undefined, JSON.stringify(text));
  });

  it('may be signed', () => {
    const text = '-A: 1\nB: 2';
    assert.equal(withoutSignature(signed(Buffer.from(text)).toString()), text);
    assert.equal(withoutSignature(text), text);
    assert.equal(withoutSignature('-----BEGIN PGP SIGNED MESSAGE-----\n\nA: 1'), '');
  });

  it('list files with sizes and checksums', () => {
    const files = { 'lamp_1.tar.gz': Buffer.from('lamp') };
    const text = changes('lamp', '1', files, { section: 'contrib/misc' }).toString();
    const read = readChanges(text);
    assert.deepEqual([read.name, read.version, read.distribution], ['lamp', '1', 'sid']);
    const [file] = read.files;
    assert.deepEqual([file?.name, file?.size, file?.section], ['lamp_1.tar.gz', 4, 'contrib/misc']);
    assert.equal(readChanges(text.replace('Source: lamp', 'Source: lamp (0.9)')).version, '0.9');
    assert.deepEqual(
      readSourceControl(signed(dsc('lamp', '1', files)).toString()).files.map(({ name }) => name),
      ['lamp_1.tar.gz'],
    );
    const rejected = [
      text.replace('Source: lamp', 'Source: ../lamp'),
      text.replace('Version: 1', 'Version: 1/2'),
      text.replace('Distribution: sid', 'Distribution: sid stable'),
      text.replaceAll('lamp_1.tar.gz', '../lamp_1.tar.gz'),
      text.replaceAll('lamp_1.tar.gz', '-lamp'),
      text.replace('Checksums-Sha256', 'Checksums-Sha512'),
      text.replace(/^( [0-9a-f]{64}) 4/m, '$1 5'),
      text.replace(/^ [0-9a-f]{32} 4.*$/m, '$&\n$&'),
      text.replace(/^Files:[\s\S]*/m, ''),
      changes(
        'lamp',
        '1',
        Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, Buffer.alloc(1)])),
      ).toString(),
    ];
    for (const [place, each] of rejected.entries()) assert.throws(() => readChanges(each), Rejected, `${place}`);
  });
});
