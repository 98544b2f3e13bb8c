import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readLines } from '../../../src/imports/project-archives/lines.ts';
import { longNameFolder, namedFiles } from '../../../src/imports/project-archives/long-names.ts';
import { BadArchive, unpack } from '../../../src/imports/project-archives/unpack.ts';
import { writeTar } from '../../../src/platform/git/archive/tar.ts';
import { newTarEntry } from '../../../src/platform/git/archive/tar-entry.ts';

function entry(path: string, content: string | Buffer, type = '0') {
  const bytes = Buffer.from(content);
  const made = newTarEntry({ kind: 'file', path, size: bytes.length, mtime: 0, content: [bytes] });
  if (type === '0') return made;
  const header = Buffer.from(made.header);
  header.write(type, 156, 'latin1');
  return { ...made, header };
}

async function packed(...entries: ReturnType<typeof entry>[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

describe('project archives', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hearth-unpack-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const limits = { bytes: 1_000_000, entries: 50 };
  const open = (bytes: Buffer, most = limits) =>
    unpack(Readable.from([bytes]), folder, most, new AbortController().signal);

  it('are unpacked to their known parts only, including long names', async () => {
    const long = `uploads/${'a'.repeat(32)}/${'n'.repeat(150)}.png`;
    const bytes = await packed(
      entry('./VERSION', '0.2.4'),
      entry('tree/project/issues.ndjson', '{"iid":1}\n'),
      entry(long, 'picture'),
      entry('snippets/x.bundle', 'unknown'),
      entry('.bashrc', 'no'),
    );
    await open(bytes);
    assert.deepEqual((await readdir(folder)).sort(), ['VERSION', 'tree', 'uploads']);
    assert.equal(await readFile(join(folder, long), 'utf8'), 'picture');
  });

  it('keep names that are too long for the file system', async () => {
    const place = `uploads/${'a'.repeat(32)}`;
    const [long, longest] = [`${'音'.repeat(100)}.png`, `${'音'.repeat(251)}.txt`];
    await open(await packed(...[long, longest, 'plan.txt'].map((name) => entry(`${place}/${name}`, `of ${name}`))));
    const found: [string, string][] = [];
    for await (const { filename, path } of namedFiles(join(folder, place))) {
      found.push([filename, await readFile(path, 'utf8')]);
    }
    assert.deepEqual(
      found.sort(),
      [long, longest, 'plan.txt'].map((name) => [name, `of ${name}`] as [string, string]).sort(),
    );
  });

  it('are rejected if a file has the name of the folder for a long name', async () => {
    const long = `uploads/${'a'.repeat(32)}/${'音'.repeat(100)}`;
    const taken = `uploads/${'a'.repeat(32)}/${longNameFolder('音'.repeat(100))}`;
    await assert.rejects(open(await packed(entry(taken, 'x'), entry(long, 'y'))), BadArchive);
    await rm(folder, { recursive: true });
    await assert.rejects(open(await packed(entry(long, 'y'), entry(taken, 'x'))), BadArchive);
    await rm(folder, { recursive: true });
    await assert.rejects(open(await packed(entry(long, 'y'), entry(long, 'z'))), BadArchive);
  });

  it('are rejected if they could write elsewhere (CVE-2022-2185)', async () => {
    const hostile = [
      entry('../outside', 'x'),
      entry('tree/../../outside', 'x'),
      entry('/etc/passwd', 'x'),
      entry('uploads/..\\..\\x', 'x'),
      entry('project.bundle', '', '1'),
      entry('project.bundle', '', '2'),
      entry('project.bundle', '', '3'),
      entry('project.bundle', '', '4'),
      entry('project.bundle', '', '6'),
    ];
    for (const one of hostile) {
      const bytes = await packed(entry('VERSION', '0.2.4'), one);
      await assert.rejects(open(bytes), BadArchive, one.path);
      await rm(folder, { recursive: true });
    }
    await assert.rejects(open(await packed(entry('VERSION', '1'), entry('./VERSION', '2'))), /twice/);
  });

  it('are rejected if truncated, uncompressed, too large or with too many entries', async () => {
    const whole = await packed(entry('tree/project.json', `{"a":"${'x'.repeat(50_000)}"}`));
    await assert.rejects(open(whole.subarray(0, whole.length / 2)), BadArchive);
    await rm(folder, { recursive: true });
    await assert.rejects(open(Buffer.from('not packed at all')), BadArchive);
    await assert.rejects(open(gzipSync(Buffer.alloc(5_000_000, 1))), BadArchive);
    const bomb = await packed(entry('project.bundle', Buffer.alloc(3_000_000)));
    assert.ok(bomb.length < 10_000);
    await assert.rejects(open(bomb), /more than 1000000 bytes/);
    const many = Array.from({ length: 60 }, (_, n) => entry(`nothing/${n}`, ''));
    await assert.rejects(open(await packed(...many)), /too many/);
  });

  it('are read line by line, and unreadable lines are reported', async () => {
    const text = ['{"n":1}', `{"n":"${'x'.repeat(200)}"}`, 'null', '{"n":', '{"n":2}'].join('\n');
    await open(await packed(entry('tree/project/issues.ndjson', text)));
    const lines = [];
    for await (const line of readLines(join(folder, 'tree/project/issues.ndjson'), 100)) lines.push(line);
    assert.deepEqual(lines, [
      { number: 1, fields: { n: 1 } },
      { number: 2, fields: undefined },
      { number: 3, fields: null },
      { number: 4, fields: undefined },
      { number: 5, fields: { n: 2 } },
    ]);
    for await (const _ of readLines(join(folder, 'tree/project/absent.ndjson'), 100)) assert.fail('there is none');
  });
});
