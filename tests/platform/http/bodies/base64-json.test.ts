import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { objectWithContent } from '../../../../src/platform/http/bodies/base64-json.ts';

test('streams content of any size in an object whose length is known in advance', async () => {
  const pieces = [1, 2, 3, 4, 5].map((size) => Buffer.alloc(size, `${size}`));
  const whole = Buffer.concat(pieces);
  const content = { stream: Readable.from(pieces), size: whole.length };
  const { json, length } = objectWithContent({ name: 'é' }, content, { sha: 'f' });
  const sent = await text(json);
  assert.equal(Buffer.byteLength(sent), length);
  assert.deepEqual(JSON.parse(sent), { name: 'é', content: whole.toString('base64'), sha: 'f' });
});

test('a disconnected client stops the source, and a failing source aborts the response', async () => {
  const endless = () => new Readable({ read() {} });
  const left = endless();
  const { json } = objectWithContent({ a: 1 }, { stream: left, size: 10 });
  left.push('abc');
  await once(json, 'readable');
  json.destroy();
  await assert.rejects(finished(left), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  const broken = endless();
  const answer = text(objectWithContent({ a: 1 }, { stream: broken, size: 10 }).json);
  broken.destroy(new Error('the disk'));
  await assert.rejects(answer, /the disk/);
});
