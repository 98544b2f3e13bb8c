import { evaluateExpression, isExpression } from '../expressions/expression.ts';
import { isInteger, isList, isMapping, type Mapping, scalarText, type Value } from '../yaml/values.ts';
import { isInputType, readInputValue } from './input-value.ts';

const keys = ['default', 'description', 'options', 'regex', 'type', 'rules'];
const ruleKeys = ['if', 'options', 'default'];
const specKeys = ['inputs', 'component', 'description'];
const componentFacts = ['name', 'sha', 'version', 'reference'];
const maxDescription = 256;

/** Values of the inputs, or the errors. */
export type InputValues = { readonly values: ReadonlyMap<string, Value> } | { readonly errors: readonly string[] };

/** Validates given inputs against the `spec:inputs` of a file. */
export function resolveInputs(header: Mapping, provided: Mapping): InputValues {
  const errors: string[] = [];
  const spec = header.get('spec');
  const unknownHeaders = [...header.keys()].filter((key) => key !== 'spec');
  if (unknownHeaders.length > 0)
    return { errors: [`header config contains unknown keys: ${unknownHeaders.join(', ')}`] };
  const unknownKeys = isMapping(spec) ? [...spec.keys()].filter((key) => !specKeys.includes(key)) : [];
  if (unknownKeys.length > 0)
    return { errors: [`header:spec config contains unknown keys: ${unknownKeys.join(', ')}`] };
  const wrong = isMapping(spec) ? specError(spec) : null;
  if (wrong !== null) return { errors: [`header:spec ${wrong}`] };
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

function specError(spec: Mapping): string | null {
  const description = spec.get('description') ?? '';
  if (typeof description !== 'string') return 'description should be a string';
  if (description.length > maxDescription) return `description is too long (maximum is ${maxDescription} characters)`;
  const component = spec.get('component') ?? [];
  if (!isList(component)) return 'component should be an array of strings';
  const unknown = component.map((fact) => scalarText(fact) ?? '').filter((fact) => !componentFacts.includes(fact));
  return unknown.length > 0 ? `component contains unknown values: ${unknown.join(', ')}` : null;
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
  const description = spec.get('description') ?? '';
  if (typeof description !== 'string' && !isInteger(description))
    return `${path} description must be an alphanumeric string`;
  const type = spec.get('type') ?? 'string';
  if (!isInputType(type)) return `${path} input type unknown value: ${scalarText(type)}`;
  const rules = spec.get('rules');
  if (rules !== undefined && (spec.has('options') || spec.has('default'))) {
    return `${path} config must not use rules together with options or default`;
  }
  const chosen = rules === undefined ? spec : matchingRule(rules, values);
  if (chosen === null)
    return `${path}:rules config should be a list of rules with an if, options or a default, and nothing else`;
  const providedValue = provided.get(name) ?? undefined;
  const rawValue = providedValue === undefined ? chosen.get('default') : providedValue;
  if (rawValue === undefined) return `\`${name}\` input: required value has not been provided`;
  const origin = providedValue === undefined ? 'default' : 'provided';
  const restrictions = { type, options: chosen.get('options'), regex: spec.get('regex') };
  const read = readInputValue(rawValue, restrictions, origin);
  if ('error' in read) return `\`${name}\` input: ${read.error}`;
  values.set(name, read.value);
  return null;
}

/** The first rule whose expression matches the preceding inputs. */
function matchingRule(rules: Value, values: ReadonlyMap<string, Value>): Mapping | null {
  if (!isList(rules) || !rules.every(isMapping)) return null;
  for (const rule of rules as readonly Mapping[]) {
    if ([...rule.keys()].some((key) => !ruleKeys.includes(key))) return null;
    const condition = rule.get('if');
    if (condition === undefined) return rule;
    if (typeof condition !== 'string' || !isExpression(condition)) return null;
    const lookup = (name: string) => scalarText(values.get(name.replace(/^inputs\./, '')));
    if (evaluateExpression(condition, lookup)) return rule;
  }
  return new Map();
}
