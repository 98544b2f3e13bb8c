import { evaluateExpression, isExpression } from '../expressions/expression.ts';
import { compilePattern } from '../expressions/pattern.ts';
import { Decimal, fromPlain, isList, isMapping, type Mapping, scalarText, type Value } from '../yaml/values.ts';

const maxOptions = 50;
const types = ['string', 'number', 'boolean', 'array'];
const keys = ['default', 'description', 'options', 'regex', 'type', 'rules'];
const specKeys = ['inputs', 'component', 'description'];

/** Values of the inputs, or the errors. */
export type InputValues = { readonly values: ReadonlyMap<string, Value> } | { readonly errors: readonly string[] };

/** Validates given inputs against the `spec:inputs` of a file. */
export function resolveInputs(header: Mapping, provided: Mapping): InputValues {
  const errors: string[] = [];
  const spec = header.get('spec');
  const unknownKeys = isMapping(spec) ? [...spec.keys()].filter((key) => !specKeys.includes(key)) : [];
  if (unknownKeys.length > 0)
    return { errors: [`header:spec config contains unknown keys: ${unknownKeys.join(', ')}`] };
  const declared = isMapping(spec) ? (spec.get('inputs') ?? null) : null;
  if (declared !== null && !isMapping(declared)) return { errors: ['header:spec:inputs config should be a hash'] };
  const inputs: Mapping = declared ?? new Map();
  const unknown = [...provided.keys()].filter((name) => !inputs.has(name));
  if (unknown.length > 0) errors.push(`unknown input arguments: ${unknown.join(', ')}`);
  const values = new Map<string, Value>();
  for (const [name, declaration] of inputs) {
    const error = input(name, declaration, provided, values);
    if (error !== null) errors.push(error);
  }
  return errors.length > 0 ? { errors } : { values };
}

/** Merges the inputs of included files into a header, before its own; returns an error if they conflict. */
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
    for (const [name, declaration] of declared) inputs.set(name, declaration);
  }
  const { include: _, ...rest } = Object.fromEntries(header.get('spec') as Mapping);
  const ownInputs = rest.inputs ?? new Map<string, Value>();
  if (!isMapping(ownInputs)) return { error: 'header:spec:inputs config should be a hash' };
  const duplicates = [...ownInputs.keys()].filter((name) => inputs.has(name));
  if (duplicates.length > 0)
    return { error: `header:spec:inputs config has inputs that are included: ${duplicates.join(', ')}` };
  const spec = new Map<string, Value>(Object.entries({ ...rest, inputs: new Map([...inputs, ...ownInputs]) }));
  return { header: new Map([...header, ['spec', spec]]) };
}

function input(name: string, declaration: Value, provided: Mapping, values: Map<string, Value>): string | null {
  const spec: Mapping | null = declaration === null ? new Map() : isMapping(declaration) ? declaration : null;
  const path = `header:spec:inputs:${name}`;
  if (spec === null) return `${path} config should be a hash`;
  const unknownKeys = [...spec.keys()].filter((key) => !keys.includes(key));
  if (unknownKeys.length > 0) return `${path} config contains unknown keys: ${unknownKeys.join(', ')}`;
  const type = spec.get('type') ?? 'string';
  if (typeof type !== 'string' || !types.includes(type)) return `${path} input type unknown value: ${scalarText(type)}`;
  const rules = spec.get('rules');
  if (rules !== undefined && (spec.has('options') || spec.has('default'))) {
    return `${path} config must not use rules together with options or default`;
  }
  const chosen = rules === undefined ? spec : matchingRule(rules, values);
  if (chosen === null) return `${path}:rules config should be a list of rules with an if, options or a default`;
  const providedValue = provided.get(name) ?? undefined;
  const rawValue = providedValue === undefined ? chosen.get('default') : providedValue;
  if (rawValue === undefined) return `\`${name}\` input: required value has not been provided`;
  const origin = providedValue === undefined ? 'default' : 'provided';
  const value = coerced(rawValue, type);
  const error = check(value, type, chosen.get('options'), spec.get('regex'), origin);
  if (error !== null) return `\`${name}\` input: ${error}`;
  values.set(name, value);
  return null;
}

/** The first rule whose expression matches the preceding inputs. */
function matchingRule(rules: Value, values: ReadonlyMap<string, Value>): Mapping | null {
  if (!isList(rules) || !rules.every(isMapping)) return null;
  for (const rule of rules as readonly Mapping[]) {
    const condition = rule.get('if');
    if (condition === undefined) return rule;
    if (typeof condition !== 'string' || !isExpression(condition)) return null;
    const lookup = (name: string) => scalarText(values.get(name.replace(/^inputs\./, '')));
    if (evaluateExpression(condition, lookup)) return rule;
  }
  return new Map();
}

function check(
  value: Value,
  type: string,
  options: Value | undefined,
  regex: Value | undefined,
  origin: string,
): string | null {
  if (!isOfType(value, type)) return `${origin} value is not ${type === 'array' ? 'an' : 'a'} ${type}`;
  if (options !== undefined && options !== null) {
    if (!isList(options) || options.length > maxOptions) return `options should be a list of up to ${maxOptions}`;
    if (type === 'boolean') return 'options cannot be used with boolean inputs';
    const texts = options.map((option) => scalarText(option));
    const unknownKeys = (isList(value) ? value : [value])
      .map((one) => scalarText(one))
      .find((text) => !texts.includes(text));
    if (unknownKeys !== undefined)
      return `\`${unknownKeys}\` cannot be used because it is not in the list of allowed options`;
  }
  if (regex === undefined || regex === null) return null;
  const pattern = typeof regex === 'string' ? compilePattern(regex) : undefined;
  if (pattern === undefined) return 'invalid regular expression';
  if (type !== 'string') return 'RegEx validation can only be used with string inputs';
  return pattern.test(scalarText(value) ?? '') ? null : `${origin} value does not match required RegEx pattern`;
}

/** Coerces a value to the type of an input: string inputs accept any scalar, others also accept their JSON text. */
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
