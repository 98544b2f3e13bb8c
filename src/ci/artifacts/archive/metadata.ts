import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { Archive } from './reader.ts';

/** What the list of an archive says of one path. */
export interface MetadataEntry {
  /** With `/` at its end where it is a folder. */
  readonly path: string;
  readonly size: number;
  /** Permission bits; undefined for folders that the archive does not name. */
  readonly mode?: number | undefined;
}

/** Archives with more entries are kept, but not browsed: their list would have to be held to be sorted. */
export const maxEntries = 200_000;
/** The same of the bytes of all paths: a few long ones have any number of folders between them. */
const maxBytes = 64 * 1024 * 1024;
const longestRecord = 64 * 1024;
const title = 'GitLab Build Artifacts Metadata 0.0.2\n';

/** The list of what is in an archive, packed, in the form that GitLab keeps it in; undefined where that would be too long. */
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

/** Adds the folders that the archive does not name; false where their paths have more than so many bytes. */
function addParents(lines: Map<string, string>, most: number): boolean {
  let left = most;
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
  yield record(title);
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

/** Reads such a list again, path by path. */
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
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length - at >= 4) {
      const length = held.readUInt32BE(at);
      if (length > longestRecord) throw new Error('a record of the list of an archive is too long');
      if (held.length - at - 4 < length) break;
      yield held.subarray(at + 4, at + 4 + length);
      at += 4 + length;
    }
    held = held.subarray(at);
  }
}
