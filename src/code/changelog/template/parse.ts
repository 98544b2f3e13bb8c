import { TemplateError, type TemplateNode, templateLimits } from './template.ts';

const step = '(?:[A-Za-z_]+|[0-9]{1,10})';
const path = `${step}(?:\\.${step})*`;
const valueTag = new RegExp(`\\{\\{\\s*(${path})\\s*\\}\\}`, 'y');
const openTag = new RegExp(`\\{%\\s*(if|each)\\s+(${path})\\s*%\\}(?:\\r?\\n)?`, 'y');
const innerTag = /\{%\s*(else|end)\s*%\}(?:\r?\n)?/y;
const special = /\{\{|\{%|\\\r?\n/g;

/** Parses a template. Throws `TemplateError` if it is malformed. */
export function parseTemplate(source: string): readonly TemplateNode[] {
  const parser = new Parser(source);
  const nodes = parser.nodes(0, 0);
  if (parser.closing !== undefined) throw parser.problem(`unexpected ${parser.closing}`);
  return nodes;
}

class Parser {
  /** The tag that ended the last sequence of nodes; undefined at the end of the source. */
  closing: 'else' | 'end' | undefined;
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  nodes(depth: number, loops: number): TemplateNode[] {
    if (depth > templateLimits.depth) throw this.problem('nested too deeply');
    if (loops > templateLimits.loops) throw new TemplateError(`You can only nest up to ${templateLimits.loops} loops`);
    const nodes: TemplateNode[] = [];
    for (;;) {
      const text = this.#text();
      if (text !== '') nodes.push({ kind: 'text', text });
      this.closing = undefined;
      if (this.#at >= this.#source.length) return nodes;
      const inner = this.#take(innerTag);
      if (inner) {
        this.closing = inner[1] as 'else' | 'end';
        return nodes;
      }
      nodes.push(this.#tag(depth, loops));
    }
  }

  problem(what: string): TemplateError {
    const line = this.#source.slice(0, this.#at).split('\n').length;
    return new TemplateError(`Failed to parse the template: ${what} at line ${line}`);
  }

  #tag(depth: number, loops: number): TemplateNode {
    const value = this.#take(valueTag);
    if (value) return { kind: 'value', path: (value[1] as string).split('.') };
    const open = this.#take(openTag);
    if (!open) throw this.problem('malformed tag');
    const path = (open[2] as string).split('.');
    if (open[1] === 'each') {
      const body = this.nodes(depth + 1, loops + 1);
      this.#expectEnd();
      return { kind: 'each', path, body };
    }
    const yes = this.nodes(depth + 1, loops);
    const no = this.closing === 'else' ? this.nodes(depth + 1, loops) : [];
    this.#expectEnd();
    return { kind: 'if', path, yes, no };
  }

  #expectEnd(): void {
    if (this.closing !== 'end') throw this.problem(this.closing ? `unexpected ${this.closing}` : 'missing end');
  }

  /** Reads text up to the next tag. A backslash at the end of a line joins it with the next line. */
  #text(): string {
    let text = '';
    for (;;) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#source);
      text += this.#source.slice(this.#at, found?.index ?? this.#source.length);
      this.#at = found?.index ?? this.#source.length;
      if (!found?.[0].startsWith('\\')) return text;
      this.#at += found[0].length;
    }
  }

  #take(tag: RegExp): RegExpExecArray | null {
    tag.lastIndex = this.#at;
    const found = tag.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}
