import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Services } from '../../../../access/services.ts';
import type { DebianDistributionRow } from '../../tables.ts';
import { fieldText } from '../formats/paragraph.ts';
import { poolLetter } from '../names.ts';
import type { IndexScope } from './layout.ts';
import * as store from './store.ts';

const batchSize = 100;

/** An index written to a temporary file. */
export interface BuiltIndex {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly file: string;
}

/** Runs some work with a folder for temporary files, which is removed afterwards. */
export async function withFolder<T>({ config }: Services, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(config.data, 'tmp', 'uploads', randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes an index, and a compressed copy unless it is empty. */
export async function buildIndex(
  services: Services,
  distribution: DebianDistributionRow,
  sources: readonly number[],
  scope: IndexScope,
  folder: string,
): Promise<BuiltIndex[]> {
  const plain = await writeMeasured(join(folder, randomUUID()), entries(services, distribution, sources, scope));
  const index = { ...plain, path: scope.path };
  if (plain.size === 0) return scope.optional ? [] : [index];
  const packed = createGzip();
  const [compressed] = await Promise.all([
    writeMeasured(join(folder, randomUUID()), packed),
    pipeline(createReadStream(plain.file), packed),
  ]);
  return [index, { ...compressed, path: `${scope.path}.gz` }];
}

async function writeMeasured(file: string, content: AsyncIterable<Buffer>) {
  const digest = createHash('sha256');
  let size = 0;
  await pipeline(
    content,
    async function* measure(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        digest.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  );
  return { file, size, sha256: digest.digest('hex') };
}

type Entry = Awaited<ReturnType<typeof store.entriesAfter>>[number];

async function* entries(
  services: Services,
  distribution: DebianDistributionRow,
  sources: readonly number[],
  { component, kinds, architectures }: IndexScope,
): AsyncGenerator<Buffer> {
  for (const distributionId of sources) {
    for (const kind of kinds) {
      for (const architecture of architectures) {
        yield* entriesOfRun(services, distribution, { distributionId, component, kind, architecture });
      }
    }
  }
}

async function* entriesOfRun(
  { db }: Services,
  distribution: DebianDistributionRow,
  run: store.EntryRun,
): AsyncGenerator<Buffer> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const rows: Entry[] = await store.entriesAfter(db.read, run, last, batchSize);
    if (rows.length > 0) yield Buffer.from(rows.map((row) => entryText(distribution, row)).join(''));
    last = rows.length === batchSize ? rows.at(-1)?.file_id : undefined;
  }
}

/** A paragraph of an index: what is known about the file, and where it is. */
function entryText({ codename, group_id }: DebianDistributionRow, row: Entry): string {
  const project = group_id === null ? '' : `${row.project_id}/`;
  const folder = `pool/${codename}/${project}${poolLetter(row.name)}/${row.name}/${row.version}`;
  const isSource = row.file_name.endsWith('.dsc');
  const place = isSource ? fieldText('Directory', folder) : fieldText('Filename', `${folder}/${row.file_name}`);
  return `${row.paragraph}${place}\n`;
}
