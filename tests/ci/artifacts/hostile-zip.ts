import { crc32 } from 'node:zlib';

interface Entry {
  readonly path: string;
  readonly content?: Buffer;
  readonly mode?: number;
  readonly encrypted?: boolean;
  /** What the archive says of the length of the content, where that is a lie. */
  readonly size?: number;
}

/** An archive written byte by byte, as no honest tool would write it: nothing is packed, and anything may be claimed. */
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

/** The end of an archive, with the long record for more entries than the short one can count. */
function endOf(count: number, length: number, start: number): Buffer[] {
  const long = Buffer.alloc(56);
  long.writeUInt32LE(0x06064b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE(45, 12);
  long.writeUInt16LE(45, 14);
  long.writeBigUInt64LE(BigInt(count), 24);
  long.writeBigUInt64LE(BigInt(count), 32);
  long.writeBigUInt64LE(BigInt(length), 40);
  long.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const shown = Math.min(count, 0xffff);
  end.writeUInt16LE(shown, 8);
  end.writeUInt16LE(shown, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(start, 16);
  return count < 0xffff ? [end] : [long, locator, end];
}
