import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KeySources, keyOfRequest, readDsn } from '../../../src/error-tracking/ingest/authentication.ts';
import { NoKey } from '../../../src/error-tracking/ingest/refusal.ts';

const nothing: KeySources = { query: {}, sentryAuth: undefined, authorization: undefined };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const cases: [string, Partial<KeySources>, string | undefined][] = [
  ['nothing', {}, undefined],
  ['the query', { query: { sentry_key: 'k', sentry_version: '7', sentry_client: 'sentry.javascript.node/7' } }, 'k'],
  [
    'Go',
    { sentryAuth: 'Sentry sentry_version=7, sentry_timestamp=1, sentry_client=sentry.go/0.20, sentry_key=k' },
    'k',
  ],
  ['Java, without spaces', { sentryAuth: 'Sentry sentry_version=7,sentry_client=sentry.java/6,sentry_key=k' }, 'k'],
  ['Python, key first', { sentryAuth: 'Sentry sentry_key=k, sentry_version=7, sentry_client=sentry.python/1' }, 'k'],
  ['lower case and spaces', { sentryAuth: ' sentry  sentry_key = k ' }, 'k'],
  ['key and secret', { sentryAuth: 'Sentry sentry_secret=s, sentry_key=k' }, 'k'],
  ['Authorization', { authorization: 'Sentry sentry_key=k' }, 'k'],
  ['Basic', { authorization: basic('k:') }, 'k'],
  ['no key in a bearer token', { authorization: 'Bearer x' }, undefined],
  ['query before header', { query: { sentry_key: 'q' }, sentryAuth: 'Sentry sentry_key=h' }, 'q'],
];

const refused: [string, Partial<KeySources>][] = [
  ['an empty key', { query: { sentry_key: '' } }],
  ['a blank key', { query: { sentry_key: '  ' } }],
  ['a header without a key', { sentryAuth: 'Sentry sentry_version=7' }],
  ['an overlong key', { query: { sentry_key: 'k'.repeat(256) } }],
  ['nonsense', { sentryAuth: '=,=,,' }],
];

describe('keyOfRequest', () => {
  for (const [name, sources, key] of cases) {
    it(`finds the key: ${name}`, () => assert.equal(keyOfRequest({ ...nothing, ...sources }), key));
  }
  for (const [name, sources] of refused) {
    it(`rejects the request: ${name}`, () => assert.throws(() => keyOfRequest({ ...nothing, ...sources }), NoKey));
  }
});

describe('readDsn', () => {
  const dsns: [unknown, ReturnType<typeof readDsn>][] = [
    [undefined, undefined],
    ['', undefined],
    [7, undefined],
    ['https://k@host/5', { key: 'k', project: '5' }],
    ['https://k:secret@host:8080/errortracking/api/v1/projects/5', { key: 'k', project: '5' }],
    ['http://k@host/api/v4/error_tracking/collector/5/', { key: 'k', project: '5' }],
  ];
  for (const [given, expected] of dsns) {
    it(`parses ${given}`, () => assert.deepEqual(readDsn(given), expected));
  }
  for (const given of ['nonsense', 'https://host/5', 'https://k@host/']) {
    it(`rejects ${given}`, () => assert.throws(() => readDsn(given), NoKey));
  }
});
