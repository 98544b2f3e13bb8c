import type { Entry } from '../entry.ts';
import { inputTypes, readInputValue } from '../includes/input-value.ts';
import type { PlannedInput } from '../plan.ts';
import { fromPlain, isList, plain, type Value } from '../yaml/values.ts';

const maxInputs = 50;

/** Reads the inputs of a job. Each needs a default, because most jobs start without anybody to ask. */
export function readJobInputs(inputs: Entry | null): PlannedInput[] {
  if (inputs === null) return [];
  const names = inputs.keys();
  if (names.length > maxInputs) inputs.fault(`config has more than ${maxInputs} inputs`);
  return names.slice(0, maxInputs).flatMap((name) => readInput(name, inputs) ?? []);
}

function readInput(name: string, inputs: Entry): PlannedInput | null {
  const entry = inputs.entry(name);
  const fallback = entry?.get('default');
  if (entry === null || fallback === undefined) {
    if (entry !== null || !inputs.has(name)) inputs.problems.add(inputs.below(name), 'input must have a default value');
    return null;
  }
  entry.allow(['default', 'description', 'options', 'regex', 'type']);
  const type = entry.oneOf('type', inputTypes) ?? 'string';
  const [options, regex] = [entry.get('options'), entry.get('regex')];
  const read = readInputValue(fallback, { type, options, regex }, 'default');
  if ('error' in read) {
    entry.fault(`\`${name}\` input: ${read.error}`);
    return null;
  }
  const description = entry.string('description');
  return { name, type, default: plain(read.value), description, options: optionsOf(options), regex: textOf(regex) };
}

const optionsOf = (options: Value | undefined) => (isList(options) ? options.map(plain) : null);
const textOf = (value: Value | undefined) => (typeof value === 'string' ? value : null);

/** Validates values given for the inputs of a job. */
export function givenJobInputs(
  inputs: readonly PlannedInput[],
  given: Readonly<Record<string, unknown>>,
): { readonly values: Readonly<Record<string, unknown>> } | { readonly error: string } {
  const known = new Map(inputs.map((input) => [input.name, input]));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length > 0) return { error: `Unknown input${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}` };
  const values: [string, unknown][] = [];
  const errors: string[] = [];
  for (const { name, type, options, regex } of inputs) {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    if (value === null || value === undefined) continue;
    const restrictions = { type, options: fromPlain(options), regex: fromPlain(regex) };
    const read = readInputValue(fromPlain(value), restrictions, 'provided');
    if ('error' in read) errors.push(`\`${name}\` input: ${read.error}`);
    else values.push([name, plain(read.value)]);
  }
  return errors.length > 0 ? { error: errors.join(', ') } : { values: Object.fromEntries(values) };
}
