import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GitError } from '../../../../src/platform/git/process/errors.ts';
import { outageOf } from '../../../../src/platform/http/server/outages.ts';

const failing = (code: string, errcode?: number) => Object.assign(new Error('it failed'), { code, errcode });

const cases: [string, unknown, RegExp | undefined][] = [
  ['a full disk', failing('ENOSPC'), /The disk is full/],
  ['a full disk below SQLite', failing('ERR_SQLITE_ERROR', 13), /The disk is full/],
  ['a damaged database', failing('ERR_SQLITE_ERROR', 11), /The database is damaged/],
  ['a file that is not a database', failing('ERR_SQLITE_ERROR', 26), /The database is damaged/],
  ['an extended code of SQLite', failing('ERR_SQLITE_ERROR', 10 | (3 << 8)), /The disk of the database fails/],
  ['PostgreSQL shutting down', failing('57P01'), /shutting down/],
  ['PostgreSQL without disk space', failing('53100'), /no room/],
  ['a missing git', new GitError('git could not be started', { unavailable: true }), /git could not be started/],
  ['a full disk below git', new GitError('git', { stderr: 'fatal: write error: No space left on device' }), /full/],
  ['an aborted git process', new GitError('git', { aborted: true, unavailable: true }), undefined],
  ['a constraint violation', failing('ERR_SQLITE_ERROR', 19), undefined],
  ['a PostgreSQL unique violation', failing('23505'), undefined],
  ['a programming error', new TypeError('x is undefined'), undefined],
];
for (const [name, error, expected] of cases) {
  test(`${name} ${expected ? 'is reported as an outage' : 'is not an outage'}`, () => {
    const outage = outageOf(error);
    if (!expected) return assert.equal(outage, undefined);
    assert.equal(outage?.status, 503);
    assert.match(JSON.stringify(outage?.body), expected);
  });
}
