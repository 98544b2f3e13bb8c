import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MavenPath, readMavenPath } from '../../../src/ci/packages/maven/names.ts';

const long = 'x'.repeat(256);

const cases: readonly (readonly [path: string, read: MavenPath | undefined])[] = [
  ['com/example/lamp/1.0/lamp-1.0.jar', { name: 'com/example/lamp', version: '1.0', file: 'lamp-1.0.jar' }],
  ['group/lamp/1.0/lamp-1.0.pom', { name: 'group/lamp', version: '1.0', file: 'lamp-1.0.pom' }],
  [
    'com/example/lamp/1.0/lamp-1.0.jar.asc.sha512',
    { name: 'com/example/lamp', version: '1.0', file: 'lamp-1.0.jar.asc', digest: 'sha512' },
  ],
  ['g/a/1+b/a.jar.md5', { name: 'g/a', version: '1+b', file: 'a.jar', digest: 'md5' }],
  ['com/example/lamp/maven-metadata.xml', { name: 'com/example/lamp', version: null, file: 'maven-metadata.xml' }],
  // Plugins of a group.
  ['com/maven-metadata.xml', { name: 'com', version: null, file: 'maven-metadata.xml' }],
  [
    'com/example/lamp/maven-metadata.xml.sha1',
    { name: 'com/example/lamp', version: null, file: 'maven-metadata.xml', digest: 'sha1' },
  ],
  [
    'com/example/lamp/1.1-SNAPSHOT/maven-metadata.xml',
    { name: 'com/example/lamp', version: '1.1-SNAPSHOT', file: 'maven-metadata.xml' },
  ],
  [
    'com/example/lamp/1.1-SNAPSHOT/lamp-1.1-20261117.120000-1.jar',
    { name: 'com/example/lamp', version: '1.1-SNAPSHOT', file: 'lamp-1.1-20261117.120000-1.jar' },
  ],
  // Files named like a digest are ordinary files.
  ['g/a/1/sha1', { name: 'g/a', version: '1', file: 'sha1' }],
  ['', undefined],
  ['maven-metadata.xml', undefined],
  ['lamp-1.0.jar', undefined],
  ['lamp/1.0/lamp-1.0.jar', undefined],
  ['SNAPSHOT/maven-metadata.xml', undefined],
  ['g/a/1/', undefined],
  ['/g/a/1/a.jar', undefined],
  ['g//1/a.jar', undefined],
  ['g/../1/a.jar', undefined],
  ['g/a/1..2/a.jar', undefined],
  ['g/a/./a.jar', undefined],
  ['g/a/1/.sha1', undefined],
  ['g/a/1/a b.jar', undefined],
  ['g/a/1/ä.jar', undefined],
  ['g/a/1/a\\b.jar', undefined],
  [`g/a/1/${long}`, undefined],
  [`g/a/${long}/a.jar`, undefined],
  [`${'group/'.repeat(50)}a/1/a.jar`, undefined],
];

describe('Maven paths', () => {
  for (const [path, read] of cases) {
    it(`are parsed: ${path.slice(0, 60)}`, () => assert.deepEqual(readMavenPath(path), read));
  }
});
