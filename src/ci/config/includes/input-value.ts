import { compilePattern } from '../expressions/pattern.ts';
import { Decimal, fromPlain, isList, scalarText, type Value } from '../yaml/values.ts';

const maxOptions = 50;

export const inputTypes = ['string', 'number', 'boolean', 'array'] as const;
export type InputType = (typeof inputTypes)[number];

export const isInputType = (value: Value): value is InputType => inputTypes.some((type) => type === value);

/** What a value must comply with. */
export interface InputRestrictions {
  readonly type: InputType;
  readonly options: Value | undefined;
  readonly regex: Value | undefined;
}

/** Coerces a value to the type of its input and validates it. `origin` appears in the error. */
export function readInputValue(
  raw: Value,
  restrictions: InputRestrictions,
  origin: 'default' | 'provided',
): { readonly value: Value } | { readonly error: string } {
  const value = coerced(raw, restrictions.type);
  const error = check(value, restrictions, origin);
  return error === null ? { value } : { error };
}

function check(value: Value, { type, options, regex }: InputRestrictions, origin: string): string | null {
  if (!isOfType(value, type)) return `${origin} value is not ${type === 'array' ? 'an' : 'a'} ${type}`;
  if (options !== undefined && options !== null) {
    if (!isList(options) || options.length > maxOptions) return `options should be a list of up to ${maxOptions}`;
    if (options.includes(null)) return 'options array cannot contain null values';
    if (type === 'boolean') return 'Options can only be used with string and number inputs';
    const texts = options.map((option) => scalarText(option));
    const unknown = (isList(value) ? value : [value])
      .map((one) => scalarText(one))
      .find((text) => !texts.includes(text));
    if (unknown !== undefined) return `\`${unknown}\` cannot be used because it is not in the list of allowed options`;
  }
  if (regex === undefined || regex === null) return null;
  const pattern = typeof regex === 'string' ? compilePattern(regex) : undefined;
  if (pattern === undefined) return 'invalid regular expression';
  if (type !== 'string') return 'RegEx validation can only be used with string inputs';
  return pattern.test(scalarText(value) ?? '') ? null : `${origin} value does not match required RegEx pattern`;
}

/** String inputs accept any scalar, others also accept their JSON text. */
function coerced(value: Value, type: InputType): Value {
  if (type === 'string') return value === null ? '' : (scalarText(value) ?? value);
  if (typeof value !== 'string') return value;
  try {
    return fromPlain(JSON.parse(value));
  } catch {
    return value;
  }
}

function isOfType(value: Value, type: InputType): boolean {
  if (type === 'array') return isList(value);
  if (type === 'number') return typeof value === 'number' || value instanceof Decimal;
  return typeof value === type;
}
