import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const mebibyte = 1024 * 1024;

/** A tar archive with one entry of `size` MiB of zeros, compressed in repeated chunks of 64 MiB. */
function zeros(size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write('junk', 0);
  header.write('0000644\0', 100);
  header.write(`${(size * mebibyte).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        0ustar\x0000', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const step = Math.min(size, 64);
  const part = gzipSync(Buffer.alloc(step * mebibyte));
  return Buffer.concat([gzipSync(header), ...Array<Buffer>(size / step).fill(part), gzipSync(Buffer.alloc(1024))]);
}

forEachEngine((engine) => {
  describe('unpack limits of project archives', () => {
    let server: TestServer;
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
    });

    const failure = async (bytes: Buffer, settings: object): Promise<string> => {
      await server.must('PUT /application/settings', { json: settings });
      const form = new FormData();
      form.append('path', `copy-${++count}`);
      form.append('file', new Blob([new Uint8Array(bytes)]), 'export.tar.gz');
      const { id } = await server.must('POST /projects/import', { body: form });
      const state = async () => (await server.must(`GET /projects/${id}/import`)) as Record<string, string>;
      await until(async () => (await state()).import_status === 'failed');
      return (await state()).import_error ?? '';
    };

    it('limit the number of bytes', async () => {
      const bytes = zeros(2);
      assert.match(await failure(bytes, { max_decompressed_archive_size: 1 }), /unpacks to more than 1048576 bytes/);
      assert.doesNotMatch(await failure(bytes, { max_decompressed_archive_size: 3 }), /unpacks to more/);
    });

    it('limit the time', async () => {
      const settings = { max_decompressed_archive_size: 0, decompress_archive_file_timeout: 1 };
      assert.match(await failure(zeros(6400), settings), /takes longer to unpack than 1 seconds/);
    });
  });
});
