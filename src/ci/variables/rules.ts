import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

/** Attributes of a variable that are validated before it is saved. */
export interface CheckedVariable {
  readonly key: string;
  readonly value: string;
  readonly variable_type: 'env_var' | 'file';
  readonly masked: boolean;
  readonly raw: boolean;
  readonly environment_scope: string;
  readonly description: string | null;
}

/** Characters that a runner can reliably find in a job log, whatever quoting the shell applies. */
const maskable = /^[\w+=/@:.~-]{8,}$/;
const maskableRaw = /^\S{8,}$/;
const maxInstanceValueLength = { env_var: 10_000, file: 50_000 };

/** Rejects variables that no job could use. */
export function checkVariable(variable: CheckedVariable, ofInstance: boolean): void {
  const errors: Record<string, string[]> = {};
  const { key, value, masked, raw, environment_scope: scope, description } = variable;
  const add = (field: string, text: string | undefined) => {
    if (text !== undefined) errors[field] = [...(errors[field] ?? []), text];
  };
  if (key === '') add('key', "can't be blank");
  add('key', lengthProblem(key, 255));
  if (!/^\w*$/.test(key)) add('key', "can contain only letters, digits and '_'.");
  if (masked && !(raw ? maskableRaw : maskable).test(value)) add('value', 'is invalid');
  if (ofInstance) {
    const maxLength = maxInstanceValueLength[variable.variable_type];
    if (value.length > maxLength) {
      const text = `The value of the provided variable exceeds the ${maxLength} character limit`;
      add('value', text);
    }
  }
  add('environment_scope', lengthProblem(scope, 255));
  if (!/^[\w\-/${}. *]+$/.test(scope)) {
    const text = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
    add('environment_scope', text);
  }
  if (description !== null) add('description', lengthProblem(description, 255));
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
