import type { Field, Values } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';

const prefix = 'input:';

const textOf = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The value that a form starts with: that of the last run, or else the default. */
const startOf = (input: Entity) => textOf(input.value ?? input.default);

function hintOf(input: Entity): string | undefined {
  const parts = [
    input.description,
    input.type === 'array' && 'A list as JSON, such as ["a", "b"]',
    input.type === 'number' && 'A number',
    input.regex && `Must match ${input.regex}`,
    input.rules && 'Its default depends on other inputs',
  ];
  return parts.filter(Boolean).join('. ') || undefined;
}

/** The form fields of inputs of a pipeline or a job. */
export function inputFields(inputs: readonly Entity[]): Field[] {
  return inputs.map((input): Field => {
    const choices = input.type === 'boolean' ? [true, false] : input.type === 'array' ? null : input.options;
    const hint = hintOf(input);
    const field = {
      name: prefix + input.name,
      label: input.name,
      ...(hint !== undefined && { hint }),
      ...(input.required && { required: true }),
    };
    if (!choices) return field;
    const options = choices.map(textOf).map((text: string) => [text, text] as const);
    return { ...field, kind: 'select', options: startOf(input) === '' ? [['', ''], ...options] : options };
  });
}

export const startingInputs = (inputs: readonly Entity[]): Values =>
  Object.fromEntries(inputs.map((input) => [prefix + input.name, startOf(input)]));

/** The submitted values that differ from those that the form started with. */
export function changedInputs(inputs: readonly Entity[], form: URLSearchParams): Record<string, string> {
  const pairs = inputs.flatMap((input): [string, string][] => {
    const text = form.get(prefix + input.name);
    if (text === null || text === startOf(input)) return [];
    return text === '' && input.type !== 'string' ? [] : [[input.name, text]];
  });
  return Object.fromEntries(pairs);
}
