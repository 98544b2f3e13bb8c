import { SaxesParser, type SaxesTagPlain } from 'saxes';

export interface TestCase {
  readonly status: 'success' | 'failed' | 'error' | 'skipped';
  readonly name: string;
  readonly classname: string;
  readonly file: string | null;
  readonly execution_time: number;
  readonly system_output: string | null;
  readonly stack_trace: string | null;
}

/** What is read of one report: files of any length come, and people look at some of it. */
const mostCases = 50_000;
const longestOutput = 64 * 1024;
const longestName = 1024;
const longestDeclaration = 1024;

const outcomes = { failure: 'failed', error: 'error', skipped: 'skipped' } as const;
const isOutcome = (name: string): name is keyof typeof outcomes => Object.hasOwn(outcomes, name);

/** Reads JUnit reports piece by piece. There may be several documents one after the other, as runners pack them. */
export class JunitReader {
  readonly cases: TestCase[] = [];
  readonly #parser = this.#fresh();
  #case: { -readonly [K in keyof TestCase]: TestCase[K] } | undefined;
  #outcome: keyof typeof outcomes | undefined;
  #text = '';
  #depth = 0;
  /** The end of what was written, where a declaration may go on with what comes. */
  #held = '';

  /** Throws where it is not XML. */
  write(text: string): void {
    const all = this.#held + text;
    this.#held = declarationBegun(all);
    for (const piece of all.slice(0, all.length - this.#held.length).split(/(?=<\?xml\s)/)) {
      // A document begins with its declaration, or with its root; the parser is told of roots alone.
      this.#parser.write(this.#depth === 0 ? piece.replace(/^<\?xml\s[^>]*\?>/, '') : piece);
    }
  }

  end(): void {
    this.#parser.write(this.#held);
    this.#parser.close();
  }

  #fresh(): SaxesParser {
    // Entities of a document's own are not known to it: none can grow.
    const parser = new SaxesParser({ fragment: true });
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', (tag) => this.#open(tag as SaxesTagPlain));
    parser.on('closetag', (tag) => this.#close(tag.name));
    for (const event of ['text', 'cdata'] as const) {
      parser.on(event, (text) => {
        if (this.#outcome && this.#text.length < longestOutput) this.#text += text.slice(0, longestOutput);
      });
    }
    return parser;
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#depth += 1;
    if (name === 'testcase') this.#case = caseOf(attributes);
    else if (this.#case && isOutcome(name)) {
      this.#outcome = name;
      this.#text = '';
      this.#case.status = outcomes[name];
      if (attributes.message) this.#case.system_output = attributes.message.slice(0, longestOutput);
    }
  }

  #close(name: string): void {
    this.#depth -= 1;
    if (name === 'testcase' && this.#case) {
      if (this.cases.length < mostCases) this.cases.push(this.#case);
      this.#case = undefined;
    } else if (this.#case && name === this.#outcome) {
      const said = this.#text.trim();
      if (said !== '') this.#case.system_output = said.slice(0, longestOutput);
      this.#outcome = undefined;
    }
  }
}

/** A declaration at the end of a text that has not ended, or may not have. */
function declarationBegun(text: string): string {
  const last = text.slice(Math.max(0, text.lastIndexOf('<')));
  const isBegun = /^<\?xml\s[^>]*$/.test(last) && last.length < longestDeclaration;
  return isBegun || (last !== '' && '<?xml'.startsWith(last)) ? last : '';
}

function caseOf(attributes: Readonly<Record<string, string>>) {
  const { name = '', classname = '', file, time } = attributes;
  const seconds = Number(time?.replaceAll(',', ''));
  return {
    status: 'success' as TestCase['status'],
    name: name.slice(0, longestName),
    classname: classname.slice(0, longestName),
    file: file === undefined ? null : file.slice(0, longestName),
    execution_time: Number.isFinite(seconds) ? seconds : 0,
    system_output: null as string | null,
    stack_trace: null as string | null,
  };
}
