import { ByteReader, StreamEnded } from '../../../../platform/git/objects/byte-reader.ts';
import { Rejected } from '../rejected.ts';

const magic = '!<arch>\n';
const headerBytes = 60;
const maxControlBytes = 8 * 1024 ** 2;
const maxOtherBytes = 64 * 1024;
const maxMembers = 10;

export const compressions = ['none', 'gzip', 'xz', 'zstd'] as const;
export type Compression = (typeof compressions)[number];

/** The control archive of a package, still compressed. */
export interface PackedControl {
  readonly compression: Compression;
  readonly packed: Buffer;
}

const compressionOf = new Map<string, Compression>([
  ['control.tar', 'none'],
  ['control.tar.gz', 'gzip'],
  ['control.tar.xz', 'xz'],
  ['control.tar.zst', 'zstd'],
]);

/** Reads the control archive of a `.deb`. It comes first, so the files of the package are not read. */
export async function readPackedControl(source: AsyncIterable<Buffer>): Promise<PackedControl> {
  const reader = new ByteReader(source);
  try {
    if ((await reader.read(magic.length)).toString('latin1') !== magic)
      throw new Rejected('it is not a Debian package');
    const version = await readMember(reader);
    if (version.name !== 'debian-binary' || !version.content.toString('latin1').startsWith('2.')) {
      throw new Rejected('it is not a Debian package of format 2');
    }
    for (let members = 0; members < maxMembers; members += 1) {
      const { name, content } = await readMember(reader);
      const compression = compressionOf.get(name);
      if (compression) return { compression, packed: content };
      // Others are for future versions of the format.
      if (!name.startsWith('_'))
        throw new Rejected(`it has ${JSON.stringify(name)} where its control archive should be`);
    }
    throw new Rejected('it has no control archive');
  } catch (error) {
    throw error instanceof StreamEnded ? new Rejected('it is truncated') : error;
  } finally {
    await reader.close();
  }
}

async function readMember(reader: ByteReader): Promise<{ name: string; content: Buffer }> {
  const header = (await reader.read(headerBytes)).toString('latin1');
  const name = header.slice(0, 16).trimEnd().replace(/\/$/, '');
  const digits = header.slice(48, 58).trimEnd();
  if (header.slice(58) !== '`\n' || !/^\d{1,10}$/.test(digits)) throw new Rejected('it is not a Debian package');
  const size = Number(digits);
  if (size > (name.startsWith('control.tar') ? maxControlBytes : maxOtherBytes)) {
    throw new Rejected(`${JSON.stringify(name)} in it is too large`);
  }
  const content = await reader.read(size);
  // Members begin at even positions.
  if (size % 2 === 1) await reader.read(1);
  return { name, content };
}
