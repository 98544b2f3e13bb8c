import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readStreamedJson } from '../../../../src/platform/http/bodies/streamed-json.ts';

// Started by the tests where files may not grow: reads a text that comes slowly, and says how that failed.
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
