import { hash } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { plainTar } from '../../support/tar.ts';

const packers = {
  '': (tar: Buffer) => tar,
  '.gz': (tar: Buffer) => gzipSync(tar),
  '.zst': (tar: Buffer) => zstdCompressSync(tar),
};

/** A member of an ar archive. */
export function member(name: string, content: Buffer, size = content.length): Buffer {
  const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${`${size}`.padEnd(10)}\`\n`;
  return Buffer.concat([Buffer.from(header), content, Buffer.alloc(content.length % 2, '\n')]);
}

export const ar = (...members: readonly Buffer[]) => Buffer.concat([Buffer.from('!<arch>\n'), ...members]);

const format = member('debian-binary', Buffer.from('2.0\n'));

/** A package with this control archive. */
export const debWith = (extension: string, control: Buffer) =>
  ar(format, member(`control.tar${extension}`, control), member('data.tar', plainTar({})));

/** The text of a control file. */
export function controlText(fields: Readonly<Record<string, string>>): string {
  return Object.entries({ Maintainer: 'A <a@example.com>', Description: 'shines\n brightly', ...fields })
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

/** A binary package. */
export function deb(fields: Readonly<Record<string, string>>, extension: keyof typeof packers = '.gz'): Buffer {
  return debWith(extension, packers[extension](plainTar({ './md5sums': '', './control': controlText(fields) })));
}

type Files = Readonly<Record<string, Buffer>>;

const lines = (files: Files, sumOf: (content: Buffer, name: string) => string) =>
  Object.entries(files)
    .map(([name, content]) => `\n ${sumOf(content, name)} ${name}`)
    .join('');

const sums = (files: Files) =>
  `Checksums-Sha1:${lines(files, (content) => `${hash('sha1', content)} ${content.length}`)}\n` +
  `Checksums-Sha256:${lines(files, (content) => `${hash('sha256', content)} ${content.length}`)}\n`;

/** A `.dsc` of a source package with these files. */
export function dsc(source: string, version: string, files: Files): Buffer {
  return Buffer.from(
    `Format: 3.0 (quilt)\nSource: ${source}\nBinary: ${source}\nArchitecture: any\nVersion: ${version}\n` +
      `Maintainer: A <a@example.com>\n${sums(files)}` +
      `Files:${lines(files, (content) => `${hash('md5', content)} ${content.length}`)}\n`,
  );
}

interface ChangesOptions {
  readonly distribution?: string;
  readonly section?: string;
}

/** A `.changes` that lists these files. */
export function changes(
  source: string,
  version: string,
  files: Files,
  { distribution = 'sid', section = 'misc' }: ChangesOptions = {},
): Buffer {
  return Buffer.from(
    `Format: 1.8\nSource: ${source}\nBinary: ${source}\nArchitecture: source amd64\nVersion: ${version}\n` +
      `Distribution: ${distribution}\nMaintainer: A <a@example.com>\nChanges:\n ${source} (${version}) sid\n .\n   * New.\n` +
      `${sums(files)}Files:${lines(files, (content) => `${hash('md5', content)} ${content.length} ${section} optional`)}\n`,
  );
}

/** The same text signed by a key that nobody knows. */
export const signed = (text: Buffer) =>
  Buffer.from(
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${text.toString().replace(/^-/gm, '- -')}\n` +
      '-----BEGIN PGP SIGNATURE-----\n\niHUEARYKAB0=\n-----END PGP SIGNATURE-----\n',
  );
