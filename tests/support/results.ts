import type { TestEvent } from 'node:test/reporters';

/** Of a test file, or of a process that failed outside of any. */
interface Result {
  readonly name: string;
  readonly passed: boolean;
}

/** More than these are not a matter of chance. */
const mostUnsteady = 5;

/** A reporter for node:test: writes a line for each test file, as JSON. */
export default async function* results(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0) continue;
    const result: Result = { name: data.name, passed: type === 'test:pass' };
    yield `${JSON.stringify(result)}\n`;
  }
}

interface Verdict {
  /** Files without a result, because their process ended in the middle. */
  readonly unfinished: readonly string[];
  /** Failed files; none if that is not a matter of chance. */
  readonly repeat: readonly string[];
}

/** What to make of a run of all the files, given what the reporter wrote. */
export function judge(report: string, files: readonly string[]): Verdict {
  const results = report
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Result => JSON.parse(line));
  const ended = new Set(results.map(({ name }) => name));
  const unfinished = files.filter((file) => !ended.has(file));
  const failed = [...new Set(results.flatMap(({ name, passed }) => (passed ? [] : [name])))];
  const byChance =
    unfinished.length === 0 && failed.length <= mostUnsteady && failed.every((name) => files.includes(name));
  return { unfinished, repeat: byChance ? failed : [] };
}
