import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readStreamedJson } from '../../../../src/platform/http/bodies/streamed-json.ts';

// Started by the tests with a file size limit: reads a slowly arriving text, and prints how that failed.
async function* slowly(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"content":"');
  for (let count = 0; count < 1000; count += 1) {
    yield Buffer.from('x'.repeat(1000));
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  }
  yield Buffer.from('"}');
}

const read = readStreamedJson(Readable.from(slowly()), process.argv[2] ?? '');
console.log(
  await read.then(
    () => 'read',
    (error: NodeJS.ErrnoException) => error.code,
  ),
);
