import type { TarEntry } from './tar.ts';

const BLOCK = 512;
const MAX_NAME = 100;
const MAX_OCTAL = 0o77777777777;

/** What a new entry of a tar stream is made of. */
export interface NewTarEntry {
  readonly kind: 'file' | 'directory';
  /** At most a hundred bytes. */
  readonly path: string;
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
  readonly content: TarEntry['content'];
}

/** An entry of a tar stream that is not read from another one. */
export function newTarEntry({ kind, path, size, mtime, content }: NewTarEntry): TarEntry {
  const mode = kind === 'directory' ? 0o755 : 0o644;
  const header = Buffer.alloc(BLOCK);
  const name = Buffer.from(path);
  if (name.length > MAX_NAME) throw new RangeError(`too long for a tar entry: ${path}`);
  name.copy(header);
  const octal = (value: number, offset: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'latin1');
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(Math.min(size, MAX_OCTAL), 124, 11);
  octal(mtime, 136, 11);
  header.write(kind === 'directory' ? '5' : '0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return { kind, path, linkPath: '', mode, mtime, size, header, pax: new Map(), content };
}
