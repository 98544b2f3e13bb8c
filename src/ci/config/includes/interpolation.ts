import type { ContextVariable } from '../context.ts';
import { ConfigFault } from '../errors.ts';
import { type Budget, sizeOf } from '../limits.ts';
import { isList, isMapping, type Mapping, plain, Reference, scalarText, type Value } from '../yaml/values.ts';

/** Applies a function that follows an input after `|`: `expand_vars`, `truncate(0,8)` or `posix_escape`. */
function interpolationFunction(call: string, input: Value, variables: readonly ContextVariable[]): Value {
  const truncation = /^truncate\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)$/.exec(call);
  if (truncation === null && call !== 'expand_vars' && call !== 'posix_escape') {
    throw new ConfigFault(
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    );
  }
  const name = truncation === null ? call : 'truncate';
  if (typeof input !== 'string') throw new ConfigFault(`invalid argument passed to function ${name}: not a string`);
  if (truncation !== null) {
    const start = Number(truncation[1]);
    return [...input].slice(start, start + Number(truncation[2])).join('');
  }
  return name === 'expand_vars' ? expandVariables(input, variables) : posixEscape(input);
}

function expandVariables(text: string, variables: readonly ContextVariable[]): string {
  const byName = new Map(variables.map((variable) => [variable.key, variable]));
  return text.replace(/\$\$|\$(\w+)|\$\{(\w+)\}/g, (whole, plain?: string, braced?: string) => {
    const variable = byName.get(plain ?? braced ?? '');
    if (variable === undefined) return whole;
    if (variable.masked) throw new ConfigFault('variable expansion error: masked variables cannot be expanded');
    return variable.value;
  });
}

function posixEscape(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}

const [begin, end] = ['$[[', ']]'];
const maxBlockLength = 1024;
const maxFunctions = 3;
const maxTextLength = 1024 * 1024;

export interface InterpolationScope {
  readonly inputs: ReadonlyMap<string, Value>;
  readonly component: Readonly<Record<string, string>>;
  readonly variables: readonly ContextVariable[];
  readonly budget: Budget;
}

/** Replaces every `$[[ inputs.name ]]` in keys and values. */
export function interpolate(value: Value, scope: InterpolationScope): Value {
  if (typeof value === 'string') return text(value, scope);
  if (isList(value)) return value.map((inner) => interpolate(inner, scope));
  if (value instanceof Reference) return new Reference(value.path.map((part) => asText(text(part, scope))));
  if (!isMapping(value)) return value;
  const result = new Map<string, Value>();
  for (const [key, inner] of value) result.set(asText(text(key, scope)), interpolate(inner, scope));
  return result as Mapping;
}

function text(value: string, scope: InterpolationScope): Value {
  let out = '';
  let done = 0;
  let length = 0;
  for (const [from, to] of blocksIn(value)) {
    const block = value.slice(from, to);
    const inner = access(block.slice(begin.length, -end.length).trim(), scope);
    // A block that spans the whole text keeps the type of its input: array, number or boolean.
    if (block.length === value.length) return inner ?? value;
    const replacement = inner === undefined ? block : asText(inner);
    length += replacement.length;
    if (length > maxTextLength) throw new ConfigFault('The parsed YAML is too big');
    out += value.slice(done, from) + replacement;
    done = to;
  }
  return out + value.slice(done);
}

/** Positions of the blocks of a text, each up to the first end marker. */
function* blocksIn(value: string): Generator<[from: number, to: number]> {
  for (let from = value.indexOf(begin); from >= 0; ) {
    const at = value.indexOf(end, from + begin.length);
    if (at < 0) return;
    yield [from, at + end.length];
    from = value.indexOf(begin, at + end.length);
  }
}

/** Undefined for other contexts: `$[[ matrix.OS ]]` is evaluated later. */
function access(expression: string, scope: InterpolationScope): Value | undefined {
  if (expression.length > maxBlockLength) throw new ConfigFault('maximum interpolation expression size exceeded');
  const [target, ...functions] = expression.split('|').map((part) => part.trim());
  const [kind, name, ...rest] = (target ?? '').split('.');
  if (kind !== 'inputs' && kind !== 'component') return undefined;
  if (name === undefined || rest.length > 0) {
    throw new ConfigFault('invalid pattern used for interpolation. Valid pattern is $[[ inputs.input_name ]]');
  }
  if (functions.length > maxFunctions) throw new ConfigFault('too many functions in interpolation block');
  const values: ReadonlyMap<string, Value> =
    kind === 'inputs' ? scope.inputs : new Map(Object.entries(scope.component));
  const value = values.get(name);
  if (value === undefined) throw new ConfigFault(`unknown interpolation key: \`${name}\``);
  scope.budget.spend(sizeOf(value));
  return functions.reduce<Value>((input, call) => interpolationFunction(call, input, scope.variables), value);
}

function asText(value: Value): string {
  return scalarText(value) ?? (value === null ? '' : JSON.stringify(plain(value)));
}
