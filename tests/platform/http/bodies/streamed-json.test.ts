import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { readStreamedJson } from '../../../../src/platform/http/bodies/streamed-json.ts';
import { SpooledText } from '../../../../src/platform/http/bodies/upload.ts';
import fc from '../../../support/properties.ts';

describe('streamed JSON', () => {
  let spool: string;
  before(async () => {
    spool = await mkdtemp(join(tmpdir(), 'hearth-spool-'));
  });
  after(() => rm(spool, { recursive: true }));

  const inChunks = (json: string, size: number) => {
    const bytes = Buffer.from(json);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    return Readable.from(chunks);
  };

  it('is parsed like JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), async (value, size) => {
        const json = JSON.stringify({ value });
        const { value: read } = await readStreamedJson(inChunks(json, size), spool);
        assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(json));
      }),
      { numRuns: 50 },
    );
  });

  it('spools long texts to disk', async () => {
    const long = '💥é\n"'.repeat(200_000);
    const json = JSON.stringify({ actions: [{ content: long, file_path: 'a' }], branch: 'main' });
    const { value, spooled } = await readStreamedJson(inChunks(json, 65_537), spool);
    const { actions, branch } = value as { actions: { content: SpooledText; file_path: string }[]; branch: string };
    const content = actions[0]?.content as SpooledText;
    assert.ok(content instanceof SpooledText);
    assert.equal(content.size, Buffer.byteLength(long));
    assert.equal(await text(content.open()), long);
    assert.deepEqual([actions[0]?.file_path, branch], ['a', 'main']);
    for (const file of spooled) await file.remove();
    assert.deepEqual(await readdir(spool), []);
  });

  it('removes spooled files of invalid documents', async () => {
    for (const json of [`{"a":"${'x'.repeat(600_000)}`, `["${'x'.repeat(600_000)}", }`, '{"a":1} trailing', '']) {
      await readStreamedJson(inChunks(json, 1000), spool).then(
        ({ value }) => assert.equal(json, '', JSON.stringify(value)),
        (error: unknown) => assert.ok(error instanceof Error),
      );
    }
    assert.deepEqual(await readdir(spool), []);
  });

  it('rejects excessive nesting', async () => {
    await assert.rejects(readStreamedJson(inChunks('['.repeat(100) + ']'.repeat(100), 10), spool), /nested too deeply/);
  });

  it('fails and cleans up if the disk is full', async () => {
    const program = join(import.meta.dirname, 'spooling-process.ts');
    const limited = 'trap \'\' XFSZ; ulimit -f 200; exec "$0" "$@"';
    const child = spawn('sh', ['-c', limited, process.execPath, program, spool], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.equal(await text(child.stdout), 'EFBIG\n');
    assert.deepEqual(await readdir(spool), []);
  });
});
