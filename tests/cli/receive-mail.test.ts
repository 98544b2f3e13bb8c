import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/platform/database/database.ts';
import { hearth, newDirectory } from './hearth.ts';

const setting = ['--incoming-mail-address', 'in+%{key}@example.com'];

async function receive(data: string, input: string, more: readonly string[] = setting) {
  return hearth(['mail', 'receive', '--data', data, ...more], {}, input);
}

test('mail receive stores a message from standard input with a processing job', async () => {
  const data = await newDirectory();
  const { code, stderr } = await receive(data, 'To: in+x@example.com\r\n\r\nText');
  assert.equal(code, 0, stderr);
  const db = await openDatabase({ file: join(data, 'hearth.db') });
  const kinds = await db.read.selectFrom('jobs').select('kind').where('kind', '=', 'incoming-mail.process').execute();
  const [mail] = await db.read.selectFrom('received_mail').select(['queued', 'file']).execute();
  await db.close();
  assert.equal(kinds.length, 1);
  assert.equal(mail?.queued, 1);
});

test('mail receive tells the mail server by its exit code whether to retry', async () => {
  const data = await newDirectory();
  const cases: readonly [input: string, more: readonly string[], code: number, message: RegExp][] = [
    ['x', [], 75, /HEARTH_INCOMING_MAIL_ADDRESS/],
    ['', setting, 65, /standard input is empty/],
    ['x'.repeat(2000), [...setting, '--max-incoming-mail', '1KiB'], 65, /larger than/],
    ['x', [...setting, '--database-url', 'postgres://nobody@127.0.0.1:1/none'], 75, /database/],
  ];
  for (const [input, more, code, message] of cases) {
    const ended = await receive(data, input, more);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
  }
});
