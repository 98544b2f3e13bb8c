import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** Creates an archive of these files; a path that ends in a slash is an empty folder. */
export async function zipOf(files: Readonly<Record<string, string | Buffer>>, mode = 0o100644): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else zip.addBuffer(Buffer.from(content as string), path, { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Replaces a file name in an archive by another of the same length, which may be unsafe. */
export function renamedInside(archive: Buffer, from: string, to: string): Buffer {
  const forged = Buffer.from(archive);
  for (let at = forged.indexOf(from); at >= 0; at = forged.indexOf(from, at + 1)) forged.write(to, at);
  return forged;
}
