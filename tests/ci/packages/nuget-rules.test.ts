import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isNugetName, normalizedVersion, nugetFile, withoutJson } from '../../../src/ci/packages/nuget/names.ts';
import { readNuspec } from '../../../src/ci/packages/nuget/nuspec.ts';
import { BadArchive, fileOfZip } from '../../../src/ci/packages/tar-files.ts';
import { zipOf } from '../artifacts/zip.ts';

describe('NuGet package names', () => {
  it('are valid words, with normalized versions', () => {
    assert.deepEqual(['A', 'My.Package', 'a_b-c.1', 'x'.repeat(100)].map(isNugetName), Array(4).fill(true));
    const wrong = ['', '.a', 'a.', 'a..b', 'a b', 'a/b', 'ä', 'x'.repeat(101)];
    assert.deepEqual(wrong.map(isNugetName), Array(wrong.length).fill(false));
    const versions = {
      1: '1.0.0',
      '1.0': '1.0.0',
      '01.002.3': '1.2.3',
      '1.3.0.17': '1.3.0.17',
      '1.2.3.0': '1.2.3',
      '1.0.0-RC.1+sha.5': '1.0.0-RC.1',
      '1.0.0+only': '1.0.0',
    };
    for (const [spelling, meant] of Object.entries(versions))
      assert.equal(normalizedVersion(spelling), meant, spelling);
    for (const spelling of [
      '',
      'a',
      '1.0.0.0.0',
      '1..0',
      'v1.0',
      '1.0-',
      '1.0/..',
      '1.0.0-a..b',
      `1.0-${'x'.repeat(128)}`,
    ]) {
      assert.equal(normalizedVersion(spelling), undefined, spelling);
    }
    assert.equal(nugetFile('My.Package', '1.0.0-RC'), 'my.package.1.0.0-rc.nupkg');
    assert.deepEqual(['index', 'index.json', '1.0.0.json'].map(withoutJson), ['index', 'index', '1.0.0']);
  });
});

const manifest = (metadata: string) =>
  `<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">` +
  `<metadata>${metadata}</metadata></package>`;
const least = '<id>My.Lamp</id><version>1.0</version>';

describe('NuGet package manifest', () => {
  it('is parsed into the stored metadata', () => {
    const metadata =
      `${least}<authors>Ada, Bo</authors><description> Shines &amp; <![CDATA[<glows>]]> </description><tags>a b</tags>` +
      '<projectUrl>https://example.com</projectUrl><license type="expression">MIT</license><repository type="git" />' +
      '<dependencies><group targetFramework=".NETStandard2.0"><dependency id="Oil" version="[1.0,2.0)" exclude="Build" />' +
      '<dependency id="Wick" /></group><group targetFramework="net45" /></dependencies>';
    assert.deepEqual(readNuspec(`\uFEFF${manifest(metadata)}`), {
      name: 'My.Lamp',
      version: '1.0.0',
      metadata: {
        authors: 'Ada, Bo',
        description: 'Shines & <glows>',
        tags: 'a b',
        projectUrl: 'https://example.com',
        dependencyGroups: [
          { targetFramework: '.NETStandard2.0', dependencies: [{ id: 'Oil', range: '[1.0,2.0)' }, { id: 'Wick' }] },
          { targetFramework: 'net45', dependencies: [] },
        ],
      },
    });
    const old = readNuspec(manifest(`${least}<dependencies><dependency id="Oil" version="1.0" /></dependencies>`));
    assert.deepEqual(old?.metadata.dependencyGroups, [{ dependencies: [{ id: 'Oil', range: '1.0' }] }]);
  });

  const wrong: Readonly<Record<string, string>> = {
    nothing: '',
    'no XML': '<package><metadata>',
    'no id': manifest('<version>1.0</version>'),
    'no version': manifest('<id>a</id>'),
    'a version that is none': manifest('<id>a</id><version>latest</version>'),
    'an id that leads elsewhere': manifest('<id>../a</id><version>1.0</version>'),
    'an id elsewhere': '<package><id>a</id><version>1.0</version></package>',
    'entities of its own': `<!DOCTYPE package [<!ENTITY a "aaaa">]>${manifest('<id>&a;</id><version>1.0</version>')}`,
    'dependencies without end': manifest(
      `${least}<dependencies>${'<dependency id="aaaaaaaaaaaaaaaaaaaaaaaa" version="1.0"/>'.repeat(5000)}</dependencies>`,
    ),
  };
  for (const [what, source] of Object.entries(wrong)) {
    it(`is rejected with ${what}`, () => assert.equal(readNuspec(source), undefined));
  }

  it('can be nested deeply', () => {
    const deep = manifest(`${least}${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}<tags>end</tags>`);
    assert.equal(readNuspec(deep)?.metadata.tags, 'end');
  });
});

describe('extraction of one file from a zip', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-packed-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const limits = { entries: 5, file: 1000 };
  const read = async (bytes: Buffer) => {
    const path = join(folder, 'file.zip');
    writeFileSync(path, bytes);
    return fileOfZip(path, /^[^/]+\.nuspec$/i, limits);
  };
  const refused = (bytes: Buffer, why: RegExp) =>
    assert.rejects(read(bytes), (error) => error instanceof BadArchive && why.test(error.message));

  it('finds the file within the limits', async () => {
    const files = { 'lib/a.nuspec': 'inner', 'lib/a.dll': 'x'.repeat(5000), 'A.NuSpec': 'outer' };
    assert.equal(String(await read(await zipOf(files))), 'outer');
    assert.equal(await read(await zipOf({ 'lib/a.nuspec': '' })), undefined);
    await refused(await zipOf({ 'a.nuspec': 'x'.repeat(1001) }), /more than 1000 bytes/);
    await refused(await zipOf(Object.fromEntries('abcdef'.split('').map((name) => [name, '']))), /too many entries/);
    await refused(Buffer.from('no archive'), /./);
    await refused((await zipOf({ 'a.nuspec': 'text' })).subarray(10), /./);
  });
});
