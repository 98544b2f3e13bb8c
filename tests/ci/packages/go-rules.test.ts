import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInZip, readGoMod } from '../../../src/ci/packages/go/go-mod.ts';
import {
  isTaggedVersion,
  isVersion,
  modulePlace,
  pseudoVersion,
  readGoAddress,
  readPseudoVersion,
  unescapeGo,
} from '../../../src/ci/packages/go/names.ts';
import { compareVersions } from '../../../src/ci/packages/versions.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const seconds = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;

describe('requests of the go command', () => {
  it('encode capitals as an exclamation mark and a lowercase letter', () => {
    assert.equal(unescapeGo('host/!house/lamp'), 'host/House/lamp');
    for (const text of ['host/House', 'host/!', 'host/!1', '!!a']) assert.equal(unescapeGo(text), undefined, text);
  });

  it('are parsed', () => {
    const module = 'host/House/lamp';
    const at = 'host/!house/lamp';
    assert.deepEqual(readGoAddress(`${at}/@v/list`), { module, asks: 'list' });
    assert.deepEqual(readGoAddress(`${at}/@latest`), { module, asks: 'latest' });
    assert.deepEqual(readGoAddress(`${at}/@v/v1.0.0.info`), { module, asks: 'info', version: 'v1.0.0' });
    assert.deepEqual(readGoAddress(`${at}/@v/v1.0.0-!r!c1.zip`), { module, asks: 'zip', version: 'v1.0.0-RC1' });
    assert.deepEqual(readGoAddress(`${at}/@v/!main.mod`), { module, asks: 'mod', version: 'Main' });
    for (const rest of ['', at, '@v/list', `${at}/@v/`, `${at}/@v/v1.0.0`, `${at}/@v/a/b.info`, `${at}/@v/.info`]) {
      assert.equal(readGoAddress(rest), undefined, rest);
    }
    assert.equal(readGoAddress(`${'a/@v/'.repeat(100_000)}`), undefined);
  });

  it('are mapped to a folder of the repository', () => {
    const root = 'host/house/lamp';
    const place = (module: string) => {
      const found = modulePlace(module, root);
      return found && [found.folder, found.major];
    };
    assert.deepEqual(place(root), ['', 1]);
    assert.deepEqual(place(`${root}/v2`), ['', 2]);
    assert.deepEqual(place(`${root}/sub`), ['sub', 1]);
    assert.deepEqual(place(`${root}/a/b/v10`), ['a/b', 10]);
    for (const last of ['v1', 'v0', 'v02', 'v2x']) assert.deepEqual(place(`${root}/${last}`), [last, 1]);
    for (const other of ['host/house/lamps', 'host/house', 'host/x', `${root}/`, `${root}/../x`, `${root}//v2`]) {
      assert.equal(place(other), undefined, other);
    }
  });
});

describe('Go module versions', () => {
  it('are tags with the major version of the module', () => {
    for (const text of ['v0.0.1', 'v1.2.3', 'v1.0.0-rc.1', 'v1.0.0-alpha']) {
      assert.deepEqual([isTaggedVersion(text, 1), isTaggedVersion(text, 2)], [true, false], text);
    }
    assert.equal(isTaggedVersion('v2.0.0', 2), true);
    const wrong = ['1.0.0', 'v1', 'v1.0', 'v01.0.0', 'v1.0.0+incompatible', 'v1.0.0-', 'v1.0.0-a..b', 'vx', ''];
    for (const text of [...wrong, `v0.0.0-20260102030405-${commit.slice(0, 12)}`, `v1.0.0-${'a'.repeat(300)}`]) {
      assert.equal(isTaggedVersion(text, 1), false, text);
    }
  });

  it('are derived from commits', () => {
    const cases: readonly (readonly [base: string | undefined, major: number, version: string])[] = [
      [undefined, 1, 'v0.0.0-20260102030405-0123456789ab'],
      [undefined, 3, 'v3.0.0-20260102030405-0123456789ab'],
      ['v1.2.3', 1, 'v1.2.4-0.20260102030405-0123456789ab'],
      ['v1.2.3-rc.1', 1, 'v1.2.3-rc.1.0.20260102030405-0123456789ab'],
    ];
    for (const [base, major, version] of cases) {
      assert.equal(pseudoVersion(major, seconds, commit, base), version);
      const read = { time: '20260102030405', revision: '0123456789ab' };
      assert.deepEqual(readPseudoVersion(version, major), read, version);
      assert.equal(readPseudoVersion(version, 2), undefined);
      assert.equal(isVersion(version), true);
    }
    for (const text of ['v1.0.0', 'main', 'v1.2.4-1.20260102030405-0123456789ab', 'v0.0.0-2026-0123456789ab']) {
      assert.equal(readPseudoVersion(text, 1), undefined, text);
    }
    assert.deepEqual(['main', 'v1', 'v2.0.0+incompatible', commit].map(isVersion), [false, false, true, false]);
  });

  it('are sorted', () => {
    const ordered = ['v0.9.0', 'v1.0.0-1', 'v1.0.0-alpha', 'v1.0.0-alpha.1', 'v1.0.0-alpha.2', 'v1.0.0-alpha.10'];
    const all = [...ordered, 'v1.0.0-rc-1', 'v1.0.0', 'v1.9.0', 'v1.10.0'];
    assert.deepEqual(all.toReversed().sort(compareVersions), all);
  });
});

describe('go.mod', () => {
  it('provides the module path and language version', () => {
    const cases: readonly (readonly [text: string, module: string | undefined, language: readonly [number, number]])[] =
      [
        ['module a.b/c\n\ngo 1.24.1\n', 'a.b/c', [1, 24]],
        ['// module x\nmodule "a.b/c" // it\r\ngo 1.9', 'a.b/c', [1, 9]],
        ['module (\n\n  `a.b/c`\n)\nrequire x v1\n', 'a.b/c', [1, 0]],
        ['module (\n)\nmodule late\n', 'late', [1, 0]],
        ['modules a\ngo x', undefined, [1, 0]],
        ['', undefined, [1, 0]],
      ];
    for (const [text, module, language] of cases) assert.deepEqual(readGoMod(text), { module, language }, text);
  });

  it('determines the contents of the module zip', () => {
    const modules = new Set(['inner', 'a/b']);
    const before = { modules, language: [1, 23] } as const;
    const later = { modules, language: [1, 24] } as const;
    const cases: readonly (readonly [path: string, before: boolean, later: boolean])[] = [
      ['go.mod', true, true],
      ['inner.go', true, true],
      ['inner/go.mod', false, false],
      ['inner/deep/x.go', false, false],
      ['a/x.go', true, true],
      ['a/b/c/x.go', false, false],
      ['vendor/modules.txt', true, false],
      ['vendor/x.go', true, true],
      ['vendor/a.b/c.go', false, false],
      ['pkg/vendor/a/x.go', false, false],
      ['pkg/vendor/vendor.go', false, true],
      ['vendored/a/x.go', true, true],
    ];
    for (const [path, old, young] of cases) {
      assert.deepEqual([isInZip(path, before), isInZip(path, later)], [old, young], path);
    }
  });
});
