import { trimCharacters } from '../../trim.ts';
import { type AttributePattern, attributePattern, matchesPattern } from './attributes-pattern.ts';
import { unquotePath } from './quoted-path.ts';

/** Set (`text`), unset (`-text`), a value (`filter=lfs`), or undefined for unspecified (`!text`). */
export type AttributeValue = boolean | string | undefined;

/** One line of a `.gitattributes` file. */
export interface AttributeRule {
  readonly pattern: AttributePattern;
  readonly values: readonly (readonly [name: string, value: AttributeValue])[];
}

/** The rules and macros of one `.gitattributes` file. */
export interface AttributesFile {
  readonly rules: readonly AttributeRule[];
  readonly macros: ReadonlyMap<string, AttributeRule['values']>;
}

/** Returns the content of a file of the tree-ish; undefined when it does not exist. */
export type ReadFile = (path: string) => Promise<Buffer | undefined>;

// git's own line length limit, and a file size beyond any real file.
const MAX_LINE_BYTES = 2048;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const NAME = /^[-A-Za-z0-9_.]+$/;

/** Parses a `.gitattributes` file; lines that git ignores are ignored. */
export function parseAttributes(content: Buffer): AttributesFile {
  const rules: AttributeRule[] = [];
  const macros = new Map<string, AttributeRule['values']>();
  const text = content.length > MAX_FILE_BYTES ? '' : content.toString('latin1').replace(/^\xEF\xBB\xBF/, '');
  for (const line of text.split('\n')) {
    const trimmed = trimCharacters(line, ' \t\r');
    if (trimmed === '' || trimmed.startsWith('#') || line.length > MAX_LINE_BYTES) continue;
    const parts = splitLine(trimmed);
    if (!parts) continue;
    const values = parts.rest.split(/[ \t\r]+/).flatMap(parseValue);
    if (parts.first.startsWith('[attr]')) {
      macros.set(parts.first.slice(6), values);
      continue;
    }
    const pattern = attributePattern(parts.first);
    if (pattern) rules.push({ pattern, values });
  }
  return { rules, macros };
}

/** The attributes of paths in one tree-ish; each `.gitattributes` file is read and parsed once. */
export class TreeAttributes {
  readonly #read: ReadFile;
  readonly #files = new Map<string, Promise<AttributesFile | undefined>>();

  constructor(read: ReadFile) {
    this.#read = read;
  }

  /** Returns the attributes of a path from the files in its folders; the nearest one wins. */
  async of(path: string): Promise<Map<string, AttributeValue>> {
    const folders = path.split('/').slice(0, -1);
    const result = new Map<string, AttributeValue>();
    const macros = new Map<string, AttributeRule['values']>([['binary', BINARY]]);
    let prefix = '';
    for (let depth = 0; depth <= folders.length; depth++) {
      if (depth > 0) prefix += `${folders[depth - 1]}/`;
      const file = await this.#file(`${prefix}.gitattributes`);
      if (!file) continue;
      // Macros can be defined only in the top-level folder.
      if (depth === 0) for (const [name, values] of file.macros) macros.set(name, values);
      const relative = byteString(path.slice(prefix.length));
      for (const rule of file.rules) if (matchesPattern(rule.pattern, relative)) apply(result, rule.values, macros);
    }
    return result;
  }

  #file(path: string): Promise<AttributesFile | undefined> {
    let file = this.#files.get(path);
    if (!file) {
      file = this.#read(path).then((content) => content && parseAttributes(content));
      this.#files.set(path, file);
    }
    return file;
  }
}

const BINARY: AttributeRule['values'] = [
  ['diff', false],
  ['merge', false],
  ['text', false],
];

function apply(
  result: Map<string, AttributeValue>,
  values: AttributeRule['values'],
  macros: ReadonlyMap<string, AttributeRule['values']>,
  depth = 0,
): void {
  for (const [name, value] of values) {
    result.set(name, value);
    const macro = value === true && depth < 8 ? macros.get(name) : undefined;
    if (macro) apply(result, macro, macros, depth + 1);
  }
}

function splitLine(line: string): { first: string; rest: string } | undefined {
  if (line.startsWith('"')) {
    const quoted = unquotePath(line);
    return quoted && { first: quoted.path, rest: line.slice(quoted.end).trim() };
  }
  const space = line.search(/[ \t\r]/);
  return space < 0 ? undefined : { first: line.slice(0, space), rest: line.slice(space).trim() };
}

function parseValue(word: string): [string, AttributeValue][] {
  const sign = word[0];
  const bare = sign === '-' || sign === '!' ? word.slice(1) : word;
  const equals = bare.indexOf('=');
  const name = equals < 0 ? bare : bare.slice(0, equals);
  if (!NAME.test(name) || name.startsWith('-')) return [];
  if (sign === '-') return [[name, false]];
  if (sign === '!') return [[name, undefined]];
  return [[name, equals < 0 ? true : bare.slice(equals + 1)]];
}

function byteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
