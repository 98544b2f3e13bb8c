import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, it } from 'node:test';
import { ArchiveCache } from '../../../src/code/archives/cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-archives-'));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const cache = (budget: number) => new ArchiveCache(folder, budget, (error) => assert.fail(error as Error));
const source = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('caches a stream that is read to its end', async () => {
  const kept = cache(1000);
  assert.equal(await kept.open('a'), undefined);
  assert.equal((await buffer(kept.keep('a', source('one', 'two'), () => true))).toString(), 'onetwo');
  const found = await kept.open('a');
  assert.equal(found?.size, 6);
  assert.equal(await found?.file.readFile('utf8'), 'onetwo');
  await found?.file.close();
});

it('drops streams that are not read to the end or are incomplete', async () => {
  const kept = cache(1000);
  const left = kept.keep('a', source('one', 'two'), () => true);
  for await (const _chunk of left) break;
  await buffer(kept.keep('b', source('x'), () => false));
  await assert.rejects(
    buffer(
      kept.keep(
        'c',
        Readable.from(
          (async function* () {
            yield Buffer.from('x');
            throw new Error('git died');
          })(),
        ),
        () => true,
      ),
    ),
    /git died/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

it('does not cache archives that exceed their share of the budget', async () => {
  const kept = cache(100);
  assert.equal((await buffer(kept.keep('a', source('x'.repeat(20), 'y'.repeat(20)), () => true))).length, 40);
  assert.deepEqual(readdirSync(folder), []);
});

it('trims least recently used, expired and abandoned files', async () => {
  const now = Date.now();
  const hours = (count: number) => new Date(now - count * 3_600_000);
  for (const [name, age] of [
    ['new', 1],
    ['middle', 2],
    ['older', 3],
    ['oldest', 30],
    ['x.part', 0],
    ['y.part', 2],
  ] as const) {
    writeFileSync(join(folder, name), 'x'.repeat(10));
    utimesSync(join(folder, name), hours(age), hours(age));
  }
  await cache(20).trim(now);
  assert.deepEqual(readdirSync(folder).sort(), ['middle', 'new', 'x.part']);
});

it('passes the stream through when the disk fails', async () => {
  const problems: unknown[] = [];
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const kept = new ArchiveCache(join(file, 'below'), 1000, (error) => problems.push(error));
  assert.equal((await buffer(kept.keep('a', source('one'), () => true))).toString(), 'one');
  assert.ok(problems.length > 0);
});
