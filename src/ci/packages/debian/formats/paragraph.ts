/** A field of a control file: the value keeps the leading spaces of its continuation lines. */
interface Field {
  readonly name: string;
  readonly value: string;
}

/** A paragraph of a control file: its fields by lower-case name, in order. */
export type Paragraph = ReadonlyMap<string, Field>;

const fieldStart = /^([!"$-,./0-9;-~][!-9;-~]*):(.*)$/;
const signedStart = '-----BEGIN PGP SIGNED MESSAGE-----';
const signatureStart = '-----BEGIN PGP SIGNATURE-----';

/** The text within a clear-text signature, or the text itself. Signatures are not verified: the uploader is known. */
export function withoutSignature(text: string): string {
  const lines = text.trimStart().split('\n');
  if (lines[0]?.trim() !== signedStart) return text;
  const begin = lines.findIndex((line) => line.trim() === '') + 1;
  const end = lines.findIndex((line) => line.trim() === signatureStart);
  if (begin === 0 || end < begin) return '';
  return lines
    .slice(begin, end)
    .map((line) => (line.startsWith('- ') ? line.slice(2) : line))
    .join('\n');
}

/** Parses a control file of exactly one paragraph; undefined if it is malformed. */
export function readParagraph(text: string): Paragraph | undefined {
  if (text.includes('\0')) return undefined;
  const fields = new Map<string, Field>();
  let current: { name: string; lines: string[] } | undefined;
  let ended = false;
  const finish = () => {
    if (current) fields.set(current.name.toLowerCase(), { name: current.name, value: current.lines.join('\n') });
  };
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    if (line === '') {
      ended = current !== undefined;
      continue;
    }
    if (ended) return undefined;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (!current) return undefined;
      current.lines.push(line);
      continue;
    }
    const [, name, value = ''] = fieldStart.exec(line) ?? [];
    if (name === undefined) return undefined;
    finish();
    if (fields.has(name.toLowerCase())) return undefined;
    current = { name, lines: [value.trimStart()] };
  }
  finish();
  return fields.size > 0 ? fields : undefined;
}

/** The value of a field of one line; undefined if it is missing or has several lines. */
export function lineOf(paragraph: Paragraph, name: string): string | undefined {
  const value = paragraph.get(name.toLowerCase())?.value;
  return value === undefined || value === '' || value.includes('\n') ? undefined : value;
}

/** The lines of a list field, each split at spaces; undefined if the field is missing. */
export function rowsOf(paragraph: Paragraph, name: string): string[][] | undefined {
  const value = paragraph.get(name.toLowerCase())?.value;
  return value
    ?.split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/[ \t]+/));
}

/** Writes a field. */
export function fieldText(name: string, value: string): string {
  return value.startsWith('\n') ? `${name}:${value}\n` : `${name}: ${value}\n`;
}

/** Writes the fields of a paragraph except some, given in lower case. */
export function paragraphText(paragraph: Paragraph, omitted: ReadonlySet<string>): string {
  return Array.from(paragraph, ([key, { name, value }]) => (omitted.has(key) ? '' : fieldText(name, value))).join('');
}
