import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { Archive } from './reader.ts';

/** One path in the metadata of an archive. */
export interface MetadataEntry {
  /** Folders end in `/`. */
  readonly path: string;
  readonly size: number;
  /** Permission bits; undefined for folders that have no entry of their own in the archive. */
  readonly mode?: number | undefined;
}

/**
 * Archives with more entries are stored but cannot be browsed: their entries would have to be held in memory to be
 * sorted.
 */
export const maxEntries = 200_000;
/** Limit on the total length of all paths: a few long paths can imply any number of parent folders. */
const maxBytes = 64 * 1024 * 1024;
const maxRecordBytes = 64 * 1024;
const header = 'GitLab Build Artifacts Metadata 0.0.2\n';

/** Returns the gzipped metadata of an archive in GitLab's format; undefined when the archive exceeds the limits. */
export async function metadataOf(archive: Pick<Archive, 'entryCount' | 'entries'>): Promise<Readable | undefined> {
  if (archive.entryCount > maxEntries) return undefined;
  const lines = new Map<string, string>();
  let bytes = 0;
  for await (const { path, size, zipped, crc, mode, modified } of archive.entries()) {
    bytes += path.length;
    if (bytes > maxBytes) return undefined;
    const permissions = mode & 0o7777;
    lines.set(
      path,
      JSON.stringify({
        ...(modified > 0 ? { modified } : {}),
        ...(permissions > 0 ? { mode: permissions.toString(8) } : {}),
        crc,
        size,
        zipped,
      }),
    );
  }
  if (!addParents(lines, maxBytes - bytes)) return undefined;
  return Readable.from(records(lines)).pipe(createGzip());
}

/** Adds the parent folders that have no entry of their own. Returns false when their paths exceed the limits. */
function addParents(lines: Map<string, string>, byteLimit: number): boolean {
  let left = byteLimit;
  for (const path of [...lines.keys()]) {
    for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at + 1);
      if (lines.has(parent)) continue;
      left -= parent.length;
      if (left < 0 || lines.size >= maxEntries * 2) return false;
      lines.set(parent, '{"crc":0,"size":0,"zipped":0}');
    }
  }
  return true;
}

function* records(lines: ReadonlyMap<string, string>): Generator<Buffer> {
  yield record(header);
  yield record('{}');
  const paths = [...lines.keys()].map((path) => Buffer.from(path)).sort(Buffer.compare);
  for (const path of paths) {
    yield record(path);
    yield record(`${lines.get(path.toString())}\n`);
  }
}

function record(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const readEntry = storedJson(Type.Object({ size: Type.Number(), mode: Type.Optional(Type.String()) }));

/** Reads metadata entry by entry. */
export async function* readMetadata(packed: Readable): AsyncGenerator<MetadataEntry> {
  const unpacked = packed.pipe(createGunzip());
  packed.once('error', (error) => unpacked.destroy(error));
  let path: string | undefined;
  let count = 0;
  for await (const bytes of splitRecords(unpacked)) {
    count += 1;
    if (count <= 2) continue;
    if (path === undefined) path = bytes.toString();
    else {
      const { size, mode } = readEntry(bytes.toString());
      yield { path, size, mode: mode === undefined ? undefined : Number.parseInt(mode, 8) };
      path = undefined;
    }
  }
}

async function* splitRecords(source: Readable): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    let at = 0;
    while (buffered.length - at >= 4) {
      const length = buffered.readUInt32BE(at);
      if (length > maxRecordBytes) throw new Error('a record of the artifacts metadata is too long');
      if (buffered.length - at - 4 < length) break;
      yield buffered.subarray(at + 4, at + 4 + length);
      at += 4 + length;
    }
    buffered = buffered.subarray(at);
  }
}
