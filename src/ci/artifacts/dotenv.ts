import type { PlanLimits } from '../../access/limits/plan-limits.ts';

const line = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s;

/**
 * Parses a `dotenv` report into its variables, or returns why it is rejected. Every line must be an assignment: blank
 * lines and comments are invalid.
 */
export function readDotenv(
  text: string,
  { dotenv_size: maxBytes, dotenv_variables: maxVariables }: Pick<PlanLimits, 'dotenv_size' | 'dotenv_variables'>,
): { readonly variables: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (Buffer.byteLength(text) >= maxBytes) {
    return { problem: `Dotenv Artifact Too Big. Maximum Allowable Size: ${maxBytes}` };
  }
  const variables = new Map<string, string>();
  for (const entry of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    const [, key, value = ''] = line.exec(entry) ?? [];
    if (key === undefined) return { problem: 'Invalid Format' };
    variables.set(key, unquoted(value.trim()));
  }
  if (variables.size > maxVariables) return { problem: `Dotenv files cannot have more than ${maxVariables} variables` };
  return { variables };
}

function unquoted(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  return quote === undefined ? value : (inner ?? '');
}
