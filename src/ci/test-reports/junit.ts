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
const streams = { 'system-out': 'System Out', 'system-err': 'System Err' } as const;
const isStream = (name: string): name is keyof typeof streams => Object.hasOwn(streams, name);

/** Streaming reader for JUnit reports. */
export class JunitReader {
  readonly cases: TestCase[] = [];
  readonly #documents = new XmlDocuments({
    open: (name, attributes) => this.#open(name, attributes),
    close: (name) => this.#close(name),
    text: (text) => {
      if (this.#element && this.#text.length < maxOutputLength) this.#text += text.slice(0, maxOutputLength);
    },
  });
  #case: { -readonly [K in keyof TestCase]: TestCase[K] } | undefined;
  /** The element of the test case that is being read. */
  #element: string | undefined;
  #message = '';
  #text = '';
  /** What the test case reports: its failures, then what it wrote. */
  #reported = '';
  #written = '';

  /** Throws if the text is not well-formed XML. */
  write(text: string): void {
    this.#documents.write(text);
  }

  end(): void {
    this.#documents.end();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'testcase') {
      this.#case = caseOf(attributes);
      this.#reported = '';
      this.#written = '';
    } else if (this.#case && !this.#element && (isOutcome(name) || isStream(name))) {
      this.#element = name;
      this.#message = (attributes.message ?? '').slice(0, maxOutputLength);
      this.#text = '';
      if (isOutcome(name)) this.#case.status = outcomes[name];
    }
  }

  #close(name: string): void {
    if (name === 'testcase' && this.#case) {
      this.#case.system_output = this.#output(this.#case.status);
      if (this.cases.length < maxCases) this.cases.push(this.#case);
      this.#case = undefined;
      this.#element = undefined;
    } else if (name === this.#element) {
      const text = this.#text.trim();
      if (!isStream(name)) this.#reported = joined(this.#reported, text || this.#message);
      else if (text !== '') this.#written = joined(this.#written, `${streams[name]}:\n\n${text}`);
      this.#element = undefined;
    }
  }

  /** What is shown of a test case that did not pass. There may be several failures: one for each assertion. */
  #output(status: TestCase['status']): string | null {
    if (status === 'success') return null;
    const all = status === 'skipped' ? this.#reported : joined(this.#reported, this.#written);
    return all.slice(0, maxOutputLength) || null;
  }
}

/** Joins two texts by a blank line, unless the first is long enough already. */
function joined(before: string, after: string): string {
  if (before === '') return after;
  return after === '' || before.length >= maxOutputLength ? before : `${before}\n\n${after}`;
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
