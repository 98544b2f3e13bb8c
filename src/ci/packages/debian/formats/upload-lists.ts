import { isFileName, isPackageName, isVersion } from '../names.ts';
import { Rejected } from '../rejected.ts';
import { lineOf, type Paragraph, readParagraph, rowsOf, withoutSignature } from './paragraph.ts';

const maxFiles = 1000;

/** A file as a `.changes` or `.dsc` describes it. */
export interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly md5: string;
  /** Only if listed. */
  readonly sha1: string | undefined;
  readonly sha256: string;
  /** Only in `.changes`. */
  readonly section: string | undefined;
  readonly priority: string | undefined;
}

/** The name and version of a source package. */
export interface Source {
  readonly name: string;
  readonly version: string;
}

/** What a `.changes` describes. */
export interface Changes extends Source {
  /** Codename or suite. */
  readonly distribution: string;
  readonly files: readonly ListedFile[];
}

/** What a `.dsc` describes. */
export interface SourceControl extends Source {
  readonly files: readonly ListedFile[];
  readonly paragraph: Paragraph;
}

function readSigned(text: string): Paragraph {
  const paragraph = readParagraph(withoutSignature(text));
  if (!paragraph) throw new Rejected('it is malformed');
  return paragraph;
}

/** A required field. */
export function requireLine(paragraph: Paragraph, name: string, isValid: (text: string) => boolean): string {
  const value = lineOf(paragraph, name);
  if (value === undefined || !isValid(value)) throw new Rejected(`its field ${name} is missing or invalid`);
  return value;
}

/** The source package that a `.changes` or the control file of a package names, with a version if it differs. */
export function readSourceField(value: string): { name: string; version: string | undefined } {
  const [, name = '', version] = /^(\S+)(?: \((\S+)\))?$/.exec(value) ?? [];
  if (!isPackageName(name) || (version !== undefined && !isVersion(version))) {
    throw new Rejected('its field Source is missing or invalid');
  }
  return { name, version };
}

export function readChanges(text: string): Changes {
  const paragraph = readSigned(text);
  const version = requireLine(paragraph, 'Version', isVersion);
  const source = readSourceField(lineOf(paragraph, 'Source') ?? '');
  const distribution = requireLine(paragraph, 'Distribution', (value) => !value.includes(' '));
  const files = readFiles(paragraph, 5);
  // The changes of a binary rebuild have a version of their own.
  return { name: source.name, version: source.version ?? version, distribution, files };
}

export function readSourceControl(text: string): SourceControl {
  const paragraph = readSigned(text);
  const name = requireLine(paragraph, 'Source', isPackageName);
  const version = requireLine(paragraph, 'Version', isVersion);
  return { name, version, files: readFiles(paragraph, 3), paragraph };
}

/** Combines the lists of files: MD5 in `Files`, and the others in fields of their own. */
function readFiles(paragraph: Paragraph, columns: 3 | 5): ListedFile[] {
  const rows = rowsOf(paragraph, 'Files') ?? [];
  if (rows.length === 0) throw new Rejected('it lists no files');
  if (rows.length > maxFiles) throw new Rejected(`it lists more than ${maxFiles} files`);
  const [sha1, sha256] = [readSums(paragraph, 'Sha1'), readSums(paragraph, 'Sha256')];
  const names = new Set<string>();
  return rows.map((row) => {
    const [md5 = '', digits = '', section, priority] = row;
    const name = row.at(-1) ?? '';
    const isMalformed = row.length !== columns || !/^[0-9a-f]{32}$/.test(md5) || !/^\d{1,15}$/.test(digits);
    if (isMalformed || !isFileName(name) || names.has(name)) throw new Rejected('its field Files is malformed');
    names.add(name);
    const size = Number(digits);
    const strong = sha256.get(name);
    if (!strong) throw new Rejected(`it has no SHA256 of ${name}`);
    const weak = sha1.get(name);
    if (strong.size !== size || (weak && weak.size !== size)) throw new Rejected(`it lists ${name} with several sizes`);
    const sums = { md5, sha1: weak?.sum, sha256: strong.sum };
    return columns === 5
      ? { name, size, ...sums, section, priority }
      : { name, size, ...sums, section: undefined, priority: undefined };
  });
}

function readSums(paragraph: Paragraph, algorithm: 'Sha1' | 'Sha256'): Map<string, { sum: string; size: number }> {
  const rows = rowsOf(paragraph, `Checksums-${algorithm}`) ?? [];
  if (rows.length > maxFiles) throw new Rejected(`it lists more than ${maxFiles} files`);
  return new Map(
    rows.map(([sum = '', size = '', name = '']) => {
      if (!/^[0-9a-f]{40,64}$/.test(sum) || !/^\d{1,15}$/.test(size)) {
        throw new Rejected(`its field Checksums-${algorithm} is malformed`);
      }
      return [name, { sum, size: Number(size) }];
    }),
  );
}
