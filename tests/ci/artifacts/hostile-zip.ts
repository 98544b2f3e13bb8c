import { crc32 } from 'node:zlib';

interface Entry {
  readonly path: string;
  readonly content?: Buffer;
  readonly mode?: number;
  readonly encrypted?: boolean;
  /** Content length to state in the archive, when it should differ from the real one. */
  readonly size?: number;
}

/** Writes an uncompressed ZIP archive byte by byte, with arbitrary and possibly false metadata. */
export function forgedZip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, content = Buffer.alloc(0), mode = 0o100644, encrypted = false, size } of entries) {
    const name = Buffer.from(path);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(encrypted ? 0x801 : 0x800, 6);
    local.writeUInt32LE(crc32(content), 14);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt32LE(size ?? content.length, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    local.copy(central, 6, 4, 30);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(at, 42);
    parts.push(local, name, content);
    directory.push(central, name);
    at += local.length + name.length + content.length;
  }
  const listed = Buffer.concat(directory);
  return Buffer.concat([...parts, listed, ...endOf(entries.length, listed.length, at)]);
}

/**
 * The end-of-central-directory record, preceded by the ZIP64 record when there are too many entries for the short one.
 */
function endOf(count: number, length: number, start: number): Buffer[] {
  const zip64 = Buffer.alloc(56);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(45, 12);
  zip64.writeUInt16LE(45, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(length), 40);
  zip64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const shortCount = Math.min(count, 0xffff);
  end.writeUInt16LE(shortCount, 8);
  end.writeUInt16LE(shortCount, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(start, 16);
  return count < 0xffff ? [end] : [zip64, locator, end];
}
