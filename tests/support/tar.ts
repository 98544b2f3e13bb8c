import { gzipSync } from 'node:zlib';
import { BLOCK, padding, writeChecksum } from '../../src/platform/git/archive/tar-header.ts';

/** A tar entry whose declared size may differ from its content. */
function entry(path: string, content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  writeChecksum(header);
  return Buffer.concat([header, content, Buffer.alloc(padding(content.length))]);
}

/** Creates a tar archive of files in the given order. */
export function plainTar(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => entry(path, Buffer.from(content)));
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

/** The same with gzip compression. */
export const packedTar = (files: Readonly<Record<string, string | Buffer>>): Buffer => gzipSync(plainTar(files));

/** A tar archive whose only entry declares a wrong size. */
export function lyingTar(path: string, size: number): Buffer {
  return gzipSync(entry(path, Buffer.from('short'), size));
}
