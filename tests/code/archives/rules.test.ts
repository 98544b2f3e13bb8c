import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isEmbedded } from '../../../src/code/archives/embedding.ts';
import { archiveName } from '../../../src/code/archives/formats.ts';
import { readRange } from '../../../src/platform/http/responses/byte-range.ts';

describe('archive names', () => {
  const commit = 'c'.repeat(40);
  const cases: [ref: string, path: string, name: string][] = [
    ['main', '', `p-main-${commit}`],
    ['feature/a', '', `p-feature-a-${commit}`],
    ['main', 'lib/x', `p-main-${commit}-lib-x`],
    [commit, '', `p-${commit}-${commit}`],
  ];
  for (const [ref, path, name] of cases) {
    it(name, () => assert.equal(archiveName({ project: 'p', ref, commit, path }), name));
  }
});

describe('readRange', () => {
  const cases: [header: string | undefined, expected: ReturnType<typeof readRange>][] = [
    [undefined, undefined],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=2-100', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=-0', 'beyond'],
    ['bytes=10-', 'beyond'],
    ['bytes=5-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
  ];
  for (const [header, expected] of cases) {
    it(`${header}`, () => assert.deepEqual(readRange(header, 10), expected));
  }
});

describe('isEmbedded', () => {
  const cases: [headers: Record<string, string>, embedded: boolean][] = [
    [{}, false],
    [{ 'sec-fetch-mode': 'navigate' }, false],
    [{ 'sec-fetch-mode': 'no-cors' }, true],
    [{ 'sec-fetch-mode': 'cors' }, true],
    [{ 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site', 'accept-language': '*' }, true],
    [{ 'sec-fetch-mode': 'cors', accept: '*/*', 'accept-language': '*' }, false],
    [{ 'sec-fetch-mode': 'websocket' }, true],
    [{ accept: 'image/webp,*/*' }, true],
    [{ accept: 'text/css,*/*;q=0.1' }, true],
    [{ accept: 'video/webm' }, true],
    [{ accept: '*/*' }, false],
    [{ accept: 'text/html,image/webp' }, false],
  ];
  for (const [headers, embedded] of cases) {
    it(JSON.stringify(headers), () => assert.equal(isEmbedded(headers), embedded));
  }
});
