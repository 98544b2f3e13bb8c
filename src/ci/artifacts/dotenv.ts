import type { PlanLimits } from '../../access/limits/plan-limits.ts';

const badKey = "Key can contain only letters, digits and '_'.";

/**
 * Parses a `dotenv` report into its variables, or returns why it is rejected. Every line must be an assignment: blank
 * lines and comments are invalid. Quotes are part of the value.
 */
export function readDotenv(
  text: string,
  { dotenv_size: maxBytes, dotenv_variables: maxVariables }: Pick<PlanLimits, 'dotenv_size' | 'dotenv_variables'>,
): { readonly variables: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (Buffer.byteLength(text) >= maxBytes) {
    return { problem: `Dotenv Artifact Too Big. Maximum Allowable Size: ${maxBytes}` };
  }
  const variables = new Map<string, string>();
  for (const line of text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    const sign = line.indexOf('=');
    if (sign === -1) return { problem: 'Invalid Format' };
    const key = line.slice(0, sign).trim();
    if (key === '') return { problem: `Validation failed: Key can't be blank, ${badKey}` };
    if (!/^[A-Za-z0-9_]+$/.test(key)) return { problem: `Validation failed: ${badKey}` };
    variables.set(key, line.slice(sign + 1).trim());
  }
  if (variables.size > maxVariables) return { problem: `Dotenv files cannot have more than ${maxVariables} variables` };
  return { variables };
}
