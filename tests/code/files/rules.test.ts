import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filePathParam, isFilePath } from '../../../src/code/files/file-path.ts';
import { fileHeaders, headerText } from '../../../src/code/files/headers.ts';
import { readRange } from '../../../src/code/files/line-range.ts';
import { shownName } from '../../../src/code/files/raw.ts';
import { readFileWrite } from '../../../src/code/files/write.ts';
import { HttpError } from '../../../src/platform/http/errors.ts';

describe('file paths', () => {
  const table: [string, boolean][] = [
    ['a', true],
    ['a/b.txt', true],
    ['.gitignore', true],
    ['..a/b..', true],
    ['-rf', true],
    ['a b/é', true],
    ['', false],
    ['.', false],
    ['..', false],
    ['../a', false],
    ['a/../b', false],
    ['a/..', false],
    ['a\\..\\b', false],
    ['/a', false],
    ['a\nb', false],
    ['a\rb', false],
  ];
  for (const [path, sound] of table) it(JSON.stringify(path), () => assert.equal(isFilePath(path), sound));

  it('may start with slashes for raw files', () => {
    const problems: string[] = [];
    assert.equal(filePathParam({ rooted: true }).read('//a/b', 'file_path', problems), 'a/b');
    assert.deepEqual(problems, []);
    assert.equal(filePathParam().read('/a', 'file_path', problems), undefined);
    assert.deepEqual(problems, ['file_path should be a valid file path']);
  });
});

describe('line ranges', () => {
  const table: [unknown, unknown, string[]][] = [
    [{ start: '2', end: '5' }, { start: 2, end: 5 }, []],
    [{ start: 3, end: 1 }, { start: 3, end: 1 }, []],
    [{ start: '1' }, undefined, ['range[end] is missing', 'range[end] is empty']],
    [{ end: '1' }, undefined, ['range[start] is missing', 'range[start] is empty']],
    ['', undefined, ['range[start] is empty', 'range[end] is empty']],
    [{ start: '', end: ' ' }, undefined, ['range[start] is empty', 'range[end] is empty']],
    [
      { start: '0', end: '-1' },
      undefined,
      ['range[start] does not have a valid value', 'range[end] does not have a valid value'],
    ],
    [{ start: 'x', end: '2' }, undefined, ['range[start] is invalid']],
    ['1,2', undefined, ['range is invalid']],
  ];
  for (const [sent, range, texts] of table) {
    it(JSON.stringify(sent), () => {
      const problems: string[] = [];
      assert.deepEqual(readRange(sent, 'range', problems), range);
      assert.deepEqual(problems, texts);
    });
  }
});

describe('file headers', () => {
  it('are encoded as UTF-8 bytes without control characters', () => {
    assert.equal(headerText('plain text'), 'plain text');
    assert.equal(headerText('é'), 'Ã©');
    assert.equal(headerText('a\tb\u0001'), 'a%09b%01');
    assert.equal(headerText('a\r\nx: y'), 'a%0D%0Ax: y');
  });

  it('have two names each', () => {
    const headers = fileHeaders({
      file_name: 'b',
      file_path: 'a/b',
      size: 3,
      encoding: 'base64',
      content_sha256: 'c',
      ref: 'main',
      blob_id: 'd',
      commit_id: 'e',
      last_commit_id: 'f',
      execute_filemode: true,
    });
    assert.equal(headers.length, 2 * 20);
    const value = (name: string) => headers[headers.indexOf(name) + 1];
    assert.equal(value('x-gitlab-file-path'), 'a/b');
    assert.equal(value('x-service-execute-filemode'), 'true');
    assert.equal(value('x-service-size'), '3');
  });

  it('truncate .xhtml names at the first dot', () => {
    assert.equal(shownName('a.b.xhtml'), 'a');
    assert.equal(shownName('a.html'), 'a.html');
  });
});

describe('file write body', () => {
  const good = { branch: 'main', commit_message: 'm', content: '' };
  const text = (fields: object) => {
    try {
      readFileWrite({ ...fields }, 'update', 'a');
      return 'fine';
    } catch (error) {
      assert.ok(error instanceof HttpError && error.status === 400);
      return (error.body as { message: string }).message;
    }
  };
  const table: [object, string][] = [
    [good, 'fine'],
    [{ ...good, content: null }, 'fine'],
    [{ ...good, content: 12 }, 'fine'],
    [{ ...good, execute_filemode: 'true' }, 'fine'],
    [{}, '400 Bad request - branch is required'],
    [{ ...good, branch: ' ' }, '400 Bad request - branch is required'],
    [{ ...good, branch: ['main'] }, '400 Bad request - branch must be a string'],
    [{ branch: 'main', content: '' }, '400 Bad request - commit_message is required'],
    [{ ...good, commit_message: '\n' }, '400 Bad request - commit_message is required'],
    [{ branch: 'main', commit_message: 'm' }, '400 Bad request - content is required'],
    [{ ...good, content: { a: 1 } }, '400 Bad request - content must be a string'],
    [{ ...good, encoding: 'utf8' }, '400 Bad request - encoding must be text or base64'],
    [{ ...good, execute_filemode: 1 }, '400 Bad request - execute_filemode must be a boolean'],
    [{ ...good, execute_filemode: 'yes' }, '400 Bad request - execute_filemode must be a boolean'],
    [{ ...good, execute_filemode: 'maybe' }, '400 Bad request - execute_filemode must be a boolean'],
  ];
  for (const [fields, expected] of table) {
    it(JSON.stringify(fields), () => assert.equal(text(fields), expected));
  }
});
