import { isArchitecture, isDistributionWord } from '../names.ts';
import type { DistributionFields } from './schema.ts';

const maxLength = 255;
const maxComponents = 20;
const maxArchitectures = 30;
const dayInSeconds = 24 * 60 * 60;
const maxSeconds = 100 * 365 * dayInSeconds;

/** The values of a distribution that its owner chooses. */
export interface DistributionValues {
  readonly suite: string | null;
  readonly origin: string | null;
  readonly label: string | null;
  readonly version: string | null;
  readonly description: string | null;
  readonly valid_time_duration_seconds: number | null;
  readonly components: readonly string[];
  readonly architectures: readonly string[];
}

/** The values of a distribution for which nothing was chosen. */
export const defaultValues: DistributionValues = {
  suite: null,
  origin: null,
  label: null,
  version: null,
  description: null,
  valid_time_duration_seconds: null,
  components: ['main'],
  architectures: ['all', 'amd64'],
};

const sorted = (words: readonly string[]) => [...new Set(words)].toSorted();

/** Applies a change; an empty text removes the value, and `all` is always among the architectures. */
export function applyFields(before: DistributionValues, change: DistributionFields): DistributionValues {
  const text = (name: 'suite' | 'origin' | 'label' | 'version' | 'description') =>
    change[name] === undefined ? before[name] : change[name] === '' ? null : change[name];
  return {
    suite: text('suite'),
    origin: text('origin'),
    label: text('label'),
    version: text('version'),
    description: text('description'),
    valid_time_duration_seconds: change.valid_time_duration_seconds ?? before.valid_time_duration_seconds,
    components: change.components ? sorted(change.components) : before.components,
    architectures: change.architectures ? sorted(['all', ...change.architectures]) : before.architectures,
  };
}

/** The messages about invalid values, by attribute. */
export function problemsOf(codename: string, values: DistributionValues): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const expect = (name: string, valid: boolean, problem = 'is invalid') => {
    if (!valid) problems[name] = [problem];
  };
  expect('codename', isDistributionWord(codename), codename === '' ? "can't be blank" : undefined);
  expect('suite', values.suite === null || isDistributionWord(values.suite));
  for (const name of ['origin', 'label', 'version', 'description'] as const) {
    const value = values[name] ?? '';
    // A line break would begin another field of the release.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
    expect(name, !/[\u0000-\u001f\u007f]/.test(value));
    expect(name, value.length <= maxLength, `is too long (maximum is ${maxLength} characters)`);
  }
  const { valid_time_duration_seconds: seconds, components, architectures } = values;
  expect(
    'valid_time_duration_seconds',
    seconds === null || seconds >= dayInSeconds,
    `must be greater than or equal to ${dayInSeconds}`,
  );
  expect(
    'valid_time_duration_seconds',
    seconds === null || seconds <= maxSeconds,
    `must be less than or equal to ${maxSeconds}`,
  );
  expect('components', components.length > 0, "can't be blank");
  expect('components', components.every(isDistributionWord));
  expect('components', components.length <= maxComponents, `are too many (maximum is ${maxComponents})`);
  expect('architectures', architectures.every(isArchitecture));
  expect('architectures', architectures.length <= maxArchitectures, `are too many (maximum is ${maxArchitectures})`);
  return problems;
}
