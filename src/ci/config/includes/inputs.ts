import { holds, isExpression } from '../expressions/expression.ts';
import { compilePattern } from '../expressions/pattern.ts';
import { Decimal, fromPlain, isList, isMapping, type Mapping, scalarText, type Value } from '../yaml/values.ts';

const maxOptions = 50;
const types = ['string', 'number', 'boolean', 'array'];
const keys = ['default', 'description', 'options', 'regex', 'type', 'rules'];
const specKeys = ['inputs', 'component', 'description'];

/** The values that `$[[ inputs.name ]]` stands for, or what is wrong with them. */
export type InputValues = { readonly values: ReadonlyMap<string, Value> } | { readonly errors: readonly string[] };

/** Holds what was given against the `spec:inputs` of a file. */
export function resolveInputs(header: Mapping, given: Mapping): InputValues {
  const errors: string[] = [];
  const spec = header.get('spec');
  const stray = isMapping(spec) ? [...spec.keys()].filter((key) => !specKeys.includes(key)) : [];
  if (stray.length > 0) return { errors: [`header:spec config contains unknown keys: ${stray.join(', ')}`] };
  const declared = isMapping(spec) ? (spec.get('inputs') ?? null) : null;
  if (declared !== null && !isMapping(declared)) return { errors: ['header:spec:inputs config should be a hash'] };
  const inputs: Mapping = declared ?? new Map();
  const unknown = [...given.keys()].filter((name) => !inputs.has(name));
  if (unknown.length > 0) errors.push(`unknown input arguments: ${unknown.join(', ')}`);
  const values = new Map<string, Value>();
  for (const [name, form] of inputs) {
    const complaint = input(name, form, given, values);
    if (complaint !== null) errors.push(complaint);
  }
  return errors.length > 0 ? { errors } : { values };
}

/** A header with the inputs of the files of its `spec:include` in front of its own, or what is wrong with them. */
export function withSharedInputs(
  header: Mapping,
  files: readonly { readonly location: string; readonly content: Value }[],
): { readonly header: Mapping } | { readonly error: string } {
  const inputs = new Map<string, Value>();
  for (const { location, content } of files) {
    const declared = isMapping(content) && content.size === 1 ? content.get('inputs') : undefined;
    if (declared === undefined || !isMapping(declared)) {
      return { error: `header:spec:include \`${location}\` should contain \`inputs\` and nothing else` };
    }
    for (const [name, form] of declared) inputs.set(name, form);
  }
  const { include: _, ...rest } = Object.fromEntries(header.get('spec') as Mapping);
  const own = rest.inputs ?? new Map<string, Value>();
  if (!isMapping(own)) return { error: 'header:spec:inputs config should be a hash' };
  const twice = [...own.keys()].filter((name) => inputs.has(name));
  if (twice.length > 0) return { error: `header:spec:inputs config has inputs that are included: ${twice.join(', ')}` };
  const spec = new Map<string, Value>(Object.entries({ ...rest, inputs: new Map([...inputs, ...own]) }));
  return { header: new Map([...header, ['spec', spec]]) };
}

function input(name: string, form: Value, given: Mapping, values: Map<string, Value>): string | null {
  const spec: Mapping | null = form === null ? new Map() : isMapping(form) ? form : null;
  const here = `header:spec:inputs:${name}`;
  if (spec === null) return `${here} config should be a hash`;
  const stray = [...spec.keys()].filter((key) => !keys.includes(key));
  if (stray.length > 0) return `${here} config contains unknown keys: ${stray.join(', ')}`;
  const type = spec.get('type') ?? 'string';
  if (typeof type !== 'string' || !types.includes(type)) return `${here} input type unknown value: ${scalarText(type)}`;
  const rules = spec.get('rules');
  if (rules !== undefined && (spec.has('options') || spec.has('default'))) {
    return `${here} config must not use rules together with options or default`;
  }
  const chosen = rules === undefined ? spec : ruled(rules, values);
  if (chosen === null) return `${here}:rules config should be a list of rules with an if, options or a default`;
  const sent = given.get(name) ?? undefined;
  const written = sent === undefined ? chosen.get('default') : sent;
  if (written === undefined) return `\`${name}\` input: required value has not been provided`;
  const said = sent === undefined ? 'default' : 'provided';
  const value = coerced(written, type);
  const complaint = check(value, type, chosen.get('options'), spec.get('regex'), said);
  if (complaint !== null) return `\`${name}\` input: ${complaint}`;
  values.set(name, value);
  return null;
}

/** The first rule whose expression over the inputs before it holds. */
function ruled(rules: Value, values: ReadonlyMap<string, Value>): Mapping | null {
  if (!isList(rules) || !rules.every(isMapping)) return null;
  for (const rule of rules as readonly Mapping[]) {
    const condition = rule.get('if');
    if (condition === undefined) return rule;
    if (typeof condition !== 'string' || !isExpression(condition)) return null;
    const lookup = (name: string) => scalarText(values.get(name.replace(/^inputs\./, '')));
    if (holds(condition, lookup)) return rule;
  }
  return new Map();
}

function check(
  value: Value,
  type: string,
  options: Value | undefined,
  regex: Value | undefined,
  said: string,
): string | null {
  if (!isOfType(value, type)) return `${said} value is not ${type === 'array' ? 'an' : 'a'} ${type}`;
  if (options !== undefined && options !== null) {
    if (!isList(options) || options.length > maxOptions) return `options should be a list of up to ${maxOptions}`;
    if (type === 'boolean') return 'options cannot be used with boolean inputs';
    const texts = options.map((option) => scalarText(option));
    const stray = (isList(value) ? value : [value]).map((one) => scalarText(one)).find((text) => !texts.includes(text));
    if (stray !== undefined) return `\`${stray}\` cannot be used because it is not in the list of allowed options`;
  }
  if (regex === undefined || regex === null) return null;
  const pattern = typeof regex === 'string' ? compilePattern(regex) : undefined;
  if (pattern === undefined) return 'invalid regular expression';
  if (type !== 'string') return 'RegEx validation can only be used with string inputs';
  return pattern.test(scalarText(value) ?? '') ? null : `${said} value does not match required RegEx pattern`;
}

/** A text input takes any scalar for its text, nothing for an empty one; the others take a text that is their JSON. */
function coerced(value: Value, type: string): Value {
  if (type === 'string') return value === null ? '' : (scalarText(value) ?? value);
  if (typeof value !== 'string') return value;
  try {
    return fromPlain(JSON.parse(value));
  } catch {
    return value;
  }
}

function isOfType(value: Value, type: string): boolean {
  if (type === 'array') return isList(value);
  if (type === 'number') return typeof value === 'number' || value instanceof Decimal;
  return typeof value === type;
}
