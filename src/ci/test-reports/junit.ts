import { XmlDocuments } from '../../platform/xml-documents.ts';

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
const maxCases = 50_000;
const longestOutput = 64 * 1024;
const longestName = 1024;

const outcomes = { failure: 'failed', error: 'error', skipped: 'skipped' } as const;
const isOutcome = (name: string): name is keyof typeof outcomes => Object.hasOwn(outcomes, name);

/** Reads JUnit reports piece by piece. */
export class JunitReader {
  readonly cases: TestCase[] = [];
  readonly #documents = new XmlDocuments({
    open: (name, attributes) => this.#open(name, attributes),
    close: (name) => this.#close(name),
    text: (text) => {
      if (this.#outcome && this.#text.length < longestOutput) this.#text += text.slice(0, longestOutput);
    },
  });
  #case: { -readonly [K in keyof TestCase]: TestCase[K] } | undefined;
  #outcome: keyof typeof outcomes | undefined;
  #text = '';

  /** Throws where it is not XML. */
  write(text: string): void {
    this.#documents.write(text);
  }

  end(): void {
    this.#documents.end();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'testcase') this.#case = caseOf(attributes);
    else if (this.#case && isOutcome(name)) {
      this.#outcome = name;
      this.#text = '';
      this.#case.status = outcomes[name];
      if (attributes.message) this.#case.system_output = attributes.message.slice(0, longestOutput);
    }
  }

  #close(name: string): void {
    if (name === 'testcase' && this.#case) {
      if (this.cases.length < maxCases) this.cases.push(this.#case);
      this.#case = undefined;
    } else if (this.#case && name === this.#outcome) {
      const said = this.#text.trim();
      if (said !== '') this.#case.system_output = said.slice(0, longestOutput);
      this.#outcome = undefined;
    }
  }
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
