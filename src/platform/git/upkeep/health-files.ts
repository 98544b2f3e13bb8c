import { open } from 'node:fs/promises';
import { ifMissing } from '../../missing.ts';

/** Features of a bitmap index. */
export interface BitmapHealth {
  readonly hasHashCache: boolean;
  readonly hasLookupTable: boolean;
  readonly version: number;
}

/** Features of a commit-graph, or of one of its layers. */
export interface GraphLayer {
  readonly hasBloomFilters: boolean;
  readonly hasGenerationData: boolean;
  readonly hasGenerationDataOverflow: boolean;
}

export interface MultiPackHealth {
  readonly packfileCount: number;
  readonly version: number;
}

const HASH_CACHE = 0x4;
const LOOKUP_TABLE = 0x10;
const TABLE_ENTRY = 12;

/** Reads the header of a bitmap index; undefined when it is not one. */
export async function readBitmap(path: string): Promise<BitmapHealth | undefined> {
  const head = await beginning(path, 8);
  if (head?.toString('latin1', 0, 4) !== 'BITM') return undefined;
  const options = head.readUInt16BE(6);
  return {
    hasHashCache: (options & HASH_CACHE) !== 0,
    hasLookupTable: (options & LOOKUP_TABLE) !== 0,
    version: head.readUInt16BE(4),
  };
}

/** Reads the header of a multi-pack index; undefined when it is not one. */
export async function readMultiPack(path: string): Promise<MultiPackHealth | undefined> {
  const head = await beginning(path, 12);
  if (head?.toString('latin1', 0, 4) !== 'MIDX') return undefined;
  return { version: head.readUInt8(4), packfileCount: head.readUInt32BE(8) };
}

/** Reads the chunk table of a commit-graph file; undefined when it is not one. */
export async function readGraphLayer(path: string): Promise<GraphLayer | undefined> {
  const head = await beginning(path, 8);
  if (head?.toString('latin1', 0, 4) !== 'CGPH') return undefined;
  const count = head.readUInt8(6);
  const table = await beginning(path, 8 + count * TABLE_ENTRY);
  const chunks = new Set<string>();
  for (let at = 8; at < (table?.length ?? 0); at += TABLE_ENTRY)
    chunks.add(table?.toString('latin1', at, at + 4) ?? '');
  return {
    hasBloomFilters: chunks.has('BIDX') && chunks.has('BDAT'),
    hasGenerationData: chunks.has('GDA2'),
    hasGenerationDataOverflow: chunks.has('GDO2'),
  };
}

/** Returns the first bytes of a file; undefined when it is shorter or was deleted. */
async function beginning(path: string, bytes: number): Promise<Buffer | undefined> {
  const file = await open(path).catch(ifMissing);
  if (!file) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return bytesRead === bytes ? buffer : undefined;
  } finally {
    await file.close();
  }
}
