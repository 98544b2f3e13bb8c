import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { ConfigFault } from '../errors.ts';
import { type Budget, maxYamlDepth } from '../limits.ts';
import { plainScalar } from './scalars.ts';
import { isList, isMapping, type Mapping, Reference, scalarText, type Value } from './values.ts';

export interface YamlFile {
  /** The `spec:` document before the first `---`, if any. */
  readonly header: Mapping | null;
  readonly content: Value;
  /** Line numbers of the keys of the content, three levels deep. */
  readonly lines: readonly (readonly [path: readonly string[], line: number])[];
}

/** Parses one configuration file into plain values, within fixed limits. */
export function readYaml(text: string, file: string | null, budget: Budget): YamlFile {
  rejectDepth(text, file);
  const lineCounter = new LineCounter();
  // Scalars are kept as text here; scalars.ts converts them.
  const documents = parseAllDocuments(hideBlocks(text.replace(/^\uFEFF/, '')), {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    // Registered so that the parser does not warn about each one.
    customTags: [{ tag: '!reference', collection: 'seq', resolve: (list) => list }],
    lineCounter,
  });
  if (!Array.isArray(documents)) return { header: null, content: null, lines: [] };
  const reader = new Reader(lineCounter, file, budget);
  const values = documents.map((document) => reader.document(document));
  const first = values[0] ?? null;
  if (values.length > 1 && isMapping(first) && first.has('spec')) {
    return { header: first, content: values[1] ?? null, lines: reader.lines(documents[1]) };
  }
  return { header: null, content: first, lines: reader.lines(documents[0]) };
}

/**
 * Allows unquoted `$[[ inputs.name ]]` in `[a, b]`: replaces its brackets and commas by noncharacters, which cannot
 * occur in text, so that the parser ignores them.
 */
function hideBlocks(text: string): string {
  return text.replace(/\$\[\[[^[\]{}"'\\\n]*\]\]/g, (block) =>
    block.replace(/[[\],]/g, (char) => (char === '[' ? '\uFDD0' : char === ']' ? '\uFDD1' : '\uFDD2')),
  );
}

function showBlocks(text: string): string {
  return text.replace(/[\uFDD0-\uFDD2]/g, (char) => (char === '\uFDD0' ? '[' : char === '\uFDD1' ? ']' : ','));
}

/**
 * Rejects very deep collections before parsing, because the parser is slow on them. Brackets in quotes are counted as
 * well, so the limit is far above the allowed depth.
 */
function rejectDepth(text: string, file: string | null): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index);
    if (char === 0x5b || char === 0x7b) depth++;
    else if ((char === 0x5d || char === 0x7d) && depth > 0) depth--;
    if (depth > maxYamlDepth * 10) throw new ConfigFault('The parsed YAML is too big', null, file);
  }
  if (/(?:[-?:][ \t]+){200}/.test(text)) throw new ConfigFault('The parsed YAML is too big', null, file);
}

class Reader {
  private readonly counter: LineCounter;
  private readonly file: string | null;
  private readonly budget: Budget;
  private anchors = new Map<string, { value: Value; size: number; depth: number }>();

  constructor(counter: LineCounter, file: string | null, budget: Budget) {
    this.counter = counter;
    this.file = file;
    this.budget = budget;
  }

  document(document: Document): Value {
    const error = document.errors[0];
    if (error !== undefined) {
      const { line, col } = this.counter.linePos(error.pos[0]);
      const name = this.file ?? '<unknown>';
      throw new ConfigFault(`(${name}): ${error.message} at line ${line} column ${col}`, line, this.file);
    }
    this.anchors = new Map();
    return this.value(document.contents as Node | null, 0).value;
  }

  /** A value with its size and depth after expanding aliases. */
  private value(node: Node | null, depth: number): { value: Value; size: number; depth: number } {
    if (depth > maxYamlDepth) throw new ConfigFault('The parsed YAML is too big', this.line(node), this.file);
    if (isAlias(node)) return this.alias(node, depth);
    const result = this.nonAlias(node, depth);
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.anchors.set(anchor, result);
    return result;
  }

  private nonAlias(node: Node | null, depth: number): { value: Value; size: number; depth: number } {
    this.budget.spend(1);
    if (isMap(node)) return this.mapping(node, depth);
    if (isSeq(node)) return this.sequence(node, depth);
    if (!isScalar(node)) return { value: null, size: 1, depth: 0 };
    const text = typeof node.value === 'string' ? showBlocks(node.value) : '';
    const tagged = node.tag !== undefined && node.tag !== '!' && node.tag !== 'tag:yaml.org,2002:null';
    const plain = node.type === 'PLAIN' || node.type === undefined;
    return {
      value: plain && (!tagged || numberTag.test(node.tag ?? '')) ? plainScalar(text) : text,
      size: 1,
      depth: 0,
    };
  }

  private alias(node: Alias, depth: number) {
    const target = this.anchors.get(node.source);
    if (target === undefined) {
      throw new ConfigFault(`Unknown alias: ${node.source}`, this.line(node), this.file);
    }
    if (depth + target.depth > maxYamlDepth) {
      throw new ConfigFault('The parsed YAML is too big', this.line(node), this.file);
    }
    this.budget.spend(target.size);
    return target;
  }

  private sequence(node: YAMLSeq, depth: number) {
    const values: Value[] = [];
    let size = 1;
    let deepest = 0;
    for (const item of node.items) {
      const inner = this.value(item as Node | null, depth + 1);
      values.push(inner.value);
      size += inner.size;
      deepest = Math.max(deepest, inner.depth + 1);
    }
    const value = node.tag === '!reference' ? this.reference(node, values) : values;
    return { value, size, depth: deepest };
  }

  private reference(node: YAMLSeq, path: readonly Value[]): Reference {
    const parts = path.flat().map((part) => scalarText(part as Value));
    if (parts.length === 0 || parts.includes(undefined)) {
      throw new ConfigFault('!reference needs a list of names', this.line(node), this.file);
    }
    return new Reference(parts as string[]);
  }

  private mapping(node: YAMLMap, depth: number) {
    const result = new Map<string, Value>();
    let size = 1;
    let deepest = 0;
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const inner = this.value(pair.value, depth + 1);
      size += inner.size + 1;
      deepest = Math.max(deepest, inner.depth + 1);
      const key = this.key(pair.key);
      if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') merge(result, inner.value);
      else result.set(key, inner.value);
    }
    return { value: result, size, depth: deepest };
  }

  private key(node: Node | null): string {
    const { value } = this.value(node, 0);
    if (value === null) return '';
    const text = scalarText(value);
    if (text === undefined) throw new ConfigFault('Mapping keys should be text', this.line(node), this.file);
    return keyText(node) ?? text;
  }

  private line(node: Node | null): number | null {
    const start = (node as { range?: [number, number, number] | null } | null)?.range?.[0];
    return start === undefined ? null : this.counter.linePos(start).line;
  }

  lines(document: Document | undefined): [string[], number][] {
    const found: [string[], number][] = [];
    const walk = (node: unknown, path: string[]): void => {
      if (!isMap(node)) return;
      for (const pair of node.items as Pair<Node, unknown>[]) {
        const key = keyText(pair.key);
        if (key === undefined) continue;
        const current = [...path, key];
        const line = this.line(pair.key);
        if (line !== null) found.push([current, line]);
        if (current.length < 3) walk(pair.value, current);
      }
    };
    walk(document?.contents, []);
    return found;
  }
}

/**
 * Keys such as `on:` and `1:` keep their original text, unlike values. Unquoted, `:name:` is the symbol that Ruby writes
 * for the key `name`.
 */
function keyText(node: Node | null): string | undefined {
  if (!isScalar(node) || typeof node.value !== 'string') return undefined;
  const text = showBlocks(node.value);
  return node.type === 'PLAIN' ? text.replace(/^:(?=.)/, '') : text;
}

const numberTag = /^tag:yaml\.org,2002:(int|float|bool)$/;

/**
 * Merges `<<` like Ruby's YAML parser: merged keys override those before it and are overridden by those after it. The
 * first mapping of a list wins.
 */
function merge(into: Map<string, Value>, value: Value): void {
  const sources = isList(value) ? [...value].reverse() : [value];
  if (!sources.every(isMapping)) {
    into.set('<<', value);
    return;
  }
  for (const source of sources) for (const [key, inner] of source as Mapping) into.set(key, inner);
}
