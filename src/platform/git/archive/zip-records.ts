import { isUtf8 } from 'node:buffer';

/** Header fields of one zip member, except its sizes. */
export interface ZipMember {
  readonly name: Buffer;
  /** Unix mode with its type bits. */
  readonly mode: number;
  /** Seconds. */
  readonly mtime: number;
  readonly method: 'store' | 'deflate';
  /** Sizes follow the content instead of preceding it. */
  readonly streamed: boolean;
  /** Sizes may need eight bytes. */
  readonly large: boolean;
}

/** Sizes and checksum of a member's content. */
export interface Sizes {
  readonly crc: number;
  readonly compressed: number;
  readonly uncompressed: number;
}

const MAX16 = 0xffff;
const MAX32 = 0xffff_ffff;
const VERSION = 20;
const VERSION_64 = 45;
const MADE_ON_UNIX = 3 << 8;
const FLAG_STREAMED = 1 << 3;
const FLAG_UTF8 = 1 << 11;

/** Returns the header in front of a member; `sizes` is undefined while they are unknown. */
export function localHeader(member: ZipMember, sizes: Sizes | undefined): Buffer {
  const extra = [timestamp(member.mtime)];
  if (member.large) extra.push(field64([sizes?.uncompressed ?? 0, sizes?.compressed ?? 0]));
  return record([
    [4, 0x04034b50],
    [2, member.large ? VERSION_64 : VERSION],
    ...common(member),
    [4, sizes?.crc ?? 0],
    [4, member.large ? MAX32 : (sizes?.compressed ?? 0)],
    [4, member.large ? MAX32 : (sizes?.uncompressed ?? 0)],
    [2, member.name.length],
    [2, total(extra)],
    member.name,
    ...extra,
  ]);
}

/** Returns the data descriptor that follows a streamed member. */
export function dataDescriptor(member: ZipMember, sizes: Sizes): Buffer {
  const width = member.large ? 8 : 4;
  return record([
    [4, 0x08074b50],
    [4, sizes.crc],
    [width, sizes.compressed],
    [width, sizes.uncompressed],
  ]);
}

/** Returns the entry of a member in the central directory. */
export function centralHeader(member: ZipMember, sizes: Sizes, offset: number): Buffer {
  const wide = [...(member.large ? [sizes.uncompressed, sizes.compressed] : []), ...(offset >= MAX32 ? [offset] : [])];
  const extra = [timestamp(member.mtime), ...(wide.length > 0 ? [field64(wide)] : [])];
  const version = wide.length > 0 ? VERSION_64 : VERSION;
  return record([
    [4, 0x02014b50],
    [2, MADE_ON_UNIX | version],
    [2, version],
    ...common(member),
    [4, sizes.crc],
    [4, member.large ? MAX32 : sizes.compressed],
    [4, member.large ? MAX32 : sizes.uncompressed],
    [2, member.name.length],
    [2, total(extra)],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, member.mode * 0x10000 + ((member.mode & 0o170000) === 0o040000 ? 0x10 : 0)],
    [4, Math.min(offset, MAX32)],
    member.name,
    ...extra,
  ]);
}

/** Returns the end-of-central-directory records. */
export function endOfArchive(directory: { entries: number; size: number; offset: number; comment: string }): Buffer {
  const { entries, size, offset, comment } = directory;
  const wide = entries >= MAX16 || size >= MAX32 || offset >= MAX32;
  const end64 = record([
    [4, 0x06064b50],
    [8, 44],
    [2, MADE_ON_UNIX | VERSION_64],
    [2, VERSION_64],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, size],
    [8, offset],
    [4, 0x07064b50],
    [4, 0],
    [8, offset + size],
    [4, 1],
  ]);
  const end = record([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, Math.min(entries, MAX16)],
    [2, Math.min(entries, MAX16)],
    [4, Math.min(size, MAX32)],
    [4, Math.min(offset, MAX32)],
    [2, comment.length],
    Buffer.from(comment, 'latin1'),
  ]);
  return wide ? Buffer.concat([end64, end]) : end;
}

type Field = readonly [width: 2 | 4 | 8, value: number] | Buffer;

function record(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map((field) => {
      if (Buffer.isBuffer(field)) return field;
      const [width, value] = field as readonly [2 | 4 | 8, number];
      const bytes = Buffer.alloc(width);
      if (width === 2) bytes.writeUInt16LE(value);
      else if (width === 4) bytes.writeUInt32LE(value);
      else bytes.writeBigUInt64LE(BigInt(value));
      return bytes;
    }),
  );
}

function common(member: ZipMember): Field[] {
  const flags = (member.streamed ? FLAG_STREAMED : 0) | (isUtf8(member.name) ? FLAG_UTF8 : 0);
  const { time, date } = dosTime(member.mtime);
  return [
    [2, flags],
    [2, member.method === 'deflate' ? 8 : 0],
    [2, time],
    [2, date],
  ];
}

function timestamp(mtime: number): Buffer {
  return record([[2, 0x5455], [2, 5], Buffer.from([1]), [4, Math.max(0, Math.min(mtime, MAX32))]]);
}

function field64(values: readonly number[]): Buffer {
  return record([[2, 1], [2, values.length * 8], ...values.map((value): Field => [8, value])]);
}

function dosTime(mtime: number): { time: number; date: number } {
  const at = new Date(mtime * 1000);
  const year = at.getUTCFullYear();
  // The format supports the years 1980 to 2107 only.
  if (year < 1980 || year > 2107) return { time: 0, date: 0x21 };
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

function total(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, buffer) => sum + buffer.length, 0);
}
