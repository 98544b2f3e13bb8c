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

/** Limits on what is read from one report, because reports can be arbitrarily large. */
const maxCases = 50_000;
const maxOutputLength = 64 * 1024;
const maxNameLength = 1024;

const outcomes = { failure: 'failed', error: 'error', skipped: 'skipped' } as const;
const isOutcome = (name: string): name is keyof typeof outcomes => Object.hasOwn(outcomes, name);

/** Streaming reader for JUnit reports. */
export class JunitReader {
  readonly cases: TestCase[] = [];
  readonly #documents = new XmlDocuments({
    open: (name, attributes) => this.#open(name, attributes),
    close: (name) => this.#close(name),
    text: (text) => {
      if (this.#outcome && this.#text.length < maxOutputLength) this.#text += text.slice(0, maxOutputLength);
    },
  });
  #case: { -readonly [K in keyof TestCase]: TestCase[K] } | undefined;
  #outcome: keyof typeof outcomes | undefined;
  #text = '';

  /** Throws if the text is not well-formed XML. */
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
      if (attributes.message) this.#case.system_output = attributes.message.slice(0, maxOutputLength);
    }
  }

  #close(name: string): void {
    if (name === 'testcase' && this.#case) {
      if (this.cases.length < maxCases) this.cases.push(this.#case);
      this.#case = undefined;
    } else if (this.#case && name === this.#outcome) {
      const output = this.#text.trim();
      if (output !== '') this.#case.system_output = output.slice(0, maxOutputLength);
      this.#outcome = undefined;
    }
  }
}

function caseOf(attributes: Readonly<Record<string, string>>) {
  const { name = '', classname = '', file, time } = attributes;
  const seconds = Number(time?.replaceAll(',', ''));
  return {
    status: 'success' as TestCase['status'],
    name: name.slice(0, maxNameLength),
    classname: classname.slice(0, maxNameLength),
    file: file === undefined ? null : file.slice(0, maxNameLength),
    execution_time: Number.isFinite(seconds) ? seconds : 0,
    system_output: null as string | null,
    stack_trace: null as string | null,
  };
}
