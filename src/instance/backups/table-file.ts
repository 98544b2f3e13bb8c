import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { readRow, writeRow } from '../../platform/database/transfer/rows.ts';
import type { Row } from '../../platform/database/transfer/shapes.ts';

/** Writes the rows of a table, one per line; returns their number and the digest of the file. */
export async function writeTableFile(
  path: string,
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  const lines = async function* () {
    for await (const row of rows) {
      count += 1;
      yield `${writeRow(row)}\n`;
    }
  };
  const measured = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(
    lines,
    createZstdCompress(),
    measured,
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return { rows: count, sha256: hash.digest('hex') };
}

/** Reads the rows of a table file. */
export async function* readTableFile(path: string): AsyncGenerator<Row, void> {
  const source = createReadStream(path);
  const plain = source.pipe(createZstdDecompress());
  source.once('error', (error) => plain.destroy(error));
  try {
    yield* rowsIn(plain);
  } finally {
    source.destroy();
  }
}

/** Splits at line feeds only: Unicode line separators are part of the text. */
async function* rowsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Row, void> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield readRow(Buffer.concat(parts).toString('utf8'));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) throw new Error('the file of a table ends in the middle of a row');
}

/** Returns the digest of a file, for comparison with the manifest. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
