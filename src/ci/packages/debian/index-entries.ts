import { fieldText, lineOf, type Paragraph, paragraphText } from './formats/paragraph.ts';
import {
  type ListedFile,
  readSourceField,
  requireLine,
  type Source,
  type SourceControl,
} from './formats/upload-lists.ts';
import { isArchitecture, isPackageName, isVersion } from './names.ts';
import { Rejected } from './rejected.ts';

/** The fields of an index that describe the file; those of the package itself are not believed. */
const ofFile = new Set(['filename', 'size', 'md5sum', 'sha1', 'sha256', 'sha512', 'md5', 'status', 'conffiles']);
const ofSource = new Set(['source', 'files', 'checksums-sha1', 'checksums-sha256', 'checksums-sha512', 'directory']);
const placed = new Set(['section', 'priority']);

interface Described {
  readonly size: number;
  readonly md5: string;
  readonly sha256: string;
}

/** What the indexes say about a binary package, except where it is; and the source package it was built from. */
export interface BinaryEntry {
  readonly source: Source;
  readonly architecture: string;
  readonly paragraph: string;
}

export function binaryEntry(control: Paragraph, { size, md5, sha256 }: Described): BinaryEntry {
  const name = requireLine(control, 'Package', isPackageName);
  const version = requireLine(control, 'Version', isVersion);
  const architecture = requireLine(control, 'Architecture', isArchitecture);
  const field = lineOf(control, 'Source');
  const source = field === undefined ? { name, version: undefined } : readSourceField(field);
  const about = { Size: `${size}`, MD5sum: md5, SHA256: sha256 };
  return {
    source: { name: source.name, version: source.version ?? version },
    architecture,
    paragraph: paragraphText(control, ofFile) + fieldsText(about),
  };
}

/** What the indexes say about a source package, except where it is. */
export function sourceEntry(
  { name, files, paragraph }: SourceControl,
  { name: fileName, size, md5, sha256, section, priority }: ListedFile,
): string {
  const all = [{ name: fileName, size, md5, sha256 }, ...files];
  const lines = (sumOf: (file: Described) => string) =>
    all.map((file) => `\n ${sumOf(file)} ${file.size} ${file.name}`).join('');
  const given = { Section: section, Priority: priority };
  return (
    fieldText('Package', name) +
    paragraphText(paragraph, new Set([...ofSource, ...placed])) +
    fieldsText(given) +
    fieldText(
      'Files',
      lines(({ md5: sum }) => sum),
    ) +
    fieldText(
      'Checksums-Sha256',
      lines(({ sha256: sum }) => sum),
    )
  );
}

function fieldsText(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === undefined || value === '-' ? '' : fieldText(name, value)))
    .join('');
}

/** Throws unless a file is the listed one. */
export function requireSame(file: Described & { readonly sha1: string }, listed: ListedFile): void {
  if (Number(file.size) !== listed.size) throw new Rejected(`the size of ${listed.name} is not the listed one`);
  const isSame = file.md5 === listed.md5 && file.sha256 === listed.sha256;
  if (!isSame || (listed.sha1 !== undefined && file.sha1 !== listed.sha1)) {
    throw new Rejected(`the checksums of ${listed.name} are not the listed ones`);
  }
}
