import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** An archive of these files; a path that ends with a slash is a folder. */
export async function zipOf(files: Readonly<Record<string, string | Buffer>>, mode = 0o100644): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else zip.addBuffer(Buffer.from(content as string), path, { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** The same archive with another name in place of one that has as many letters, as no honest tool writes it. */
export function renamedInside(archive: Buffer, from: string, to: string): Buffer {
  const forged = Buffer.from(archive);
  for (let at = forged.indexOf(from); at >= 0; at = forged.indexOf(from, at + 1)) forged.write(to, at);
  return forged;
}
