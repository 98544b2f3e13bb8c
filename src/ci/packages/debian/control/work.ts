import { Readable } from 'node:stream';
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { BadArchive, fileOfPlainTar } from '../../tar-files.ts';
import type { PackedControl } from '../formats/deb.ts';
import { BadXz, unpackXz } from '../formats/xz.ts';

const mebibyte = 1024 ** 2;
/** The archive also has scripts, and the checksums of all files of the package. */
const maxUnpackedBytes = 32 * mebibyte;
const limits = { bytes: maxUnpackedBytes, entries: 1000, file: mebibyte / 4 };
/** What `zstd -19` needs; by default a few bytes can request 128 MiB. */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 };

/** The text of the control file, or why there is none. */
export type ControlResult = { readonly text: string } | { readonly problem: string };

/** Unpacks the control file from a control archive. */
export async function controlFileIn(control: PackedControl): Promise<ControlResult> {
  try {
    const tar = Readable.from([unpack(control)]);
    const file = await fileOfPlainTar(tar, /^(?:\.\/)?control$/, limits);
    return file ? { text: file.toString() } : { problem: 'its control archive has no control file' };
  } catch (error) {
    const isKnown = error instanceof BadArchive || error instanceof BadXz;
    return { problem: `its control archive cannot be unpacked${isKnown ? `: ${error.message}` : ''}` };
  }
}

function unpack({ compression, packed: transferred }: PackedControl): Buffer {
  // Buffers arrive from other threads as plain arrays.
  const packed = Buffer.from(transferred);
  const maxOutputLength = maxUnpackedBytes;
  switch (compression) {
    case 'none':
      return packed;
    case 'gzip':
      return gunzipSync(packed, { maxOutputLength });
    case 'xz':
      return unpackXz(packed, maxUnpackedBytes);
    case 'zstd':
      return zstdDecompressSync(packed, { maxOutputLength, params: zstdParams });
  }
}
