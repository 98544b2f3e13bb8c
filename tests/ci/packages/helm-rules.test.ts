import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { chartFileName, isChannel, isChartVersion, readChart } from '../../../src/ci/packages/helm/chart.ts';
import { BadArchive, fileOfTar } from '../../../src/ci/packages/tar-files.ts';
import { lyingTar, packedTar } from '../../support/tar.ts';

const least = 'apiVersion: v2\nname: lamp\nversion: 1.0.0\n';

describe('Chart.yaml', () => {
  it('is parsed with scalars as strings', () => {
    const chart = readChart(
      `${least}appVersion: 1.10\ndescription: "It: shines"\ntype: application\nkeywords: [light, 1]\nhome:\n` +
        'maintainers:\n- name: Ada\n  email: ada@example.com\n  other: x\ndeprecated: true\nunknown: {a: b}\n' +
        'dependencies:\n- name: oil\n  version: ^1.0\n  enabled: false\n  import-values: [data, {child: a, parent: b}]\n' +
        'annotations:\n  number: 1\n',
    );
    assert.deepEqual(chart, {
      apiVersion: 'v2',
      name: 'lamp',
      version: '1.0.0',
      appVersion: '1.10',
      description: 'It: shines',
      type: 'application',
      keywords: ['light', '1'],
      maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
      deprecated: true,
      dependencies: [
        { name: 'oil', version: '^1.0', enabled: false, 'import-values': ['data', { child: 'a', parent: 'b' }] },
      ],
      annotations: { number: '1' },
    });
    assert.equal(chartFileName({ name: 'lamp', version: '1.0.0+x' }), 'lamp-1.0.0+x.tgz');
    const aliased = readChart('apiVersion: v2\nname: lamp\nversion: &v 1.2.3\nappVersion: *v\n');
    assert.equal(aliased?.appVersion, '1.2.3');
  });

  const grown = `a: &a [${'x,'.repeat(9)}x]\n${[...'bcdefgh']
    .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}*${'abcdefg'[index]}]`)
    .join('\n')}\nkeywords: *h\n`;
  const wrong: readonly (readonly [what: string, source: string])[] = [
    ['nothing', ''],
    ['a list', '- a'],
    ['invalid YAML', 'a: [b'],
    ['no version', 'apiVersion: v2\nname: lamp\n'],
    ['an invalid version', least.replace('1.0.0', 'latest')],
    ['a version with two components', least.replace('1.0.0', '1.0')],
    ['a name with a path', least.replace('lamp', '../lamp')],
    ['a name of only dots', least.replace('lamp', '..')],
    ['a name that is too long', least.replace('lamp', 'x'.repeat(256))],
    ['a name and version too long for a file name', least.replace('lamp', 'x'.repeat(250))],
    ['a string instead of a list', `${least}keywords: light\n`],
    ['a list instead of a string', `${least}description: [a]\n`],
    ['dependencies without a name', `${least}dependencies: [{version: 1.0.0}]\n`],
    ['annotations that are not strings', `${least}annotations: {a: {b: c}}\n`],
    ['exponentially growing aliases', least + grown],
    ['an undefined alias', `${least}home: *nothing\n`],
    ['a long repeated alias', `${least}home: &a ${'x'.repeat(100_000)}\nicon: *a\ntags: *a\n`],
  ];
  for (const [what, source] of wrong) {
    it(`is rejected with ${what}`, () => assert.equal(readChart(source), undefined));
  }

  it('validates versions and channels', () => {
    assert.deepEqual(['1.0.0', 'v1.2.3', '1.0.0-rc.1+b'].map(isChartVersion), [true, true, true]);
    assert.deepEqual(['vv1.0.0', '1', ''].map(isChartVersion), [false, false, false]);
    assert.deepEqual(['stable', 'a.b_c-D1'].map(isChannel), [true, true]);
    assert.deepEqual(['', '..', 'a/b', 'a b', 'x'.repeat(256)].map(isChannel), Array(5).fill(false));
  });
});

describe('extraction of one file from a compressed tar', () => {
  const limits = { bytes: 100_000, entries: 10, file: 1000 };
  const wanted = /^(?:\.\/)?[^/]+\/Chart\.yaml$/;
  const read = (packed: Buffer) => fileOfTar(Readable.from([packed]), wanted, limits);
  const refused = (packed: Buffer, why: RegExp) =>
    assert.rejects(read(packed), (error) => error instanceof BadArchive && why.test(error.message));

  it('finds the file anywhere in the archive', async () => {
    const files = { 'lamp/charts/oil/Chart.yaml': 'inner', 'lamp/values.yaml': '', 'lamp/Chart.yaml': 'outer' };
    assert.equal(String(await read(packedTar(files))), 'outer');
    assert.equal(String(await read(packedTar({ './lamp/Chart.yaml': 'dotted' }))), 'dotted');
    assert.equal(await read(packedTar({ 'Chart.yaml': 'bare', 'lamp/other': '' })), undefined);
    assert.equal(await read(packedTar({})), undefined);
  });

  it('stops at the limits', async () => {
    await refused(Buffer.from('no archive'), /incorrect header/);
    await refused(gzipSync('short'), /ended/);
    await refused(packedTar({ a: 'b' }).subarray(0, 30), /./);
    await refused(packedTar({ bomb: Buffer.alloc(200_000), 'lamp/Chart.yaml': '' }), /more than 100000 bytes/);
    await refused(packedTar({ 'lamp/Chart.yaml': 'x'.repeat(1001) }), /more than 1000 bytes/);
    await refused(lyingTar('lamp/Chart.yaml', 900), /ended/);
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`file-${index}`, '']));
    await refused(packedTar(many), /too many entries/);
  });

  it('reads no further than the file', async () => {
    const before = packedTar({ 'lamp/Chart.yaml': 'first', rest: Buffer.alloc(200_000) });
    assert.equal(String(await read(before)), 'first');
  });
});
