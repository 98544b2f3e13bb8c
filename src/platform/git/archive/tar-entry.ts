import type { TarEntry } from './tar.ts';
import { BLOCK, MAX_OCTAL_SIZE, padding, paxRecord, writeChecksum } from './tar-header.ts';

const MAX_NAME = 100;

/** Fields of a new tar entry. */
export interface NewTarEntry {
  readonly kind: 'file' | 'directory';
  readonly path: string;
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
  readonly content: TarEntry['content'];
}

/** Builds a tar entry that was not read from another stream. */
export function newTarEntry({ kind, path, size, mtime, content }: NewTarEntry): TarEntry {
  const mode = kind === 'directory' ? 0o755 : 0o644;
  const header = Buffer.alloc(BLOCK);
  const name = Buffer.from(path);
  name.copy(header, 0, 0, MAX_NAME);
  const octal = (value: number, offset: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'latin1');
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(Math.min(size, MAX_OCTAL_SIZE), 124, 11);
  octal(mtime, 136, 11);
  header.write(kind === 'directory' ? '5' : '0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  writeChecksum(header);
  const whole = name.length > MAX_NAME ? Buffer.concat([extendedName(name), header]) : header;
  return { kind, path, linkPath: '', mode, mtime, size, header: whole, pax: new Map(), content };
}

/** Returns the pax header blocks for a name that does not fit the ustar header. */
function extendedName(name: Buffer): Buffer {
  const body = paxRecord('path', name);
  const entry = newTarEntry({ kind: 'file', path: 'PaxHeader', size: body.length, mtime: 0, content: [] });
  const head = Buffer.from(entry.header);
  head[156] = 'x'.charCodeAt(0);
  writeChecksum(head);
  return Buffer.concat([head, body, Buffer.alloc(padding(body.length))]);
}
