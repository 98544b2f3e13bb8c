import type { PlanLimits } from '../../access/limits/plan-limits.ts';

const line = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s;

/** The variables of a `dotenv` report, or why it is refused. Every line sets one: neither blanks nor comments are allowed. */
export function readDotenv(
  text: string,
  { dotenv_size: largest, dotenv_variables: most }: Pick<PlanLimits, 'dotenv_size' | 'dotenv_variables'>,
): { readonly variables: ReadonlyMap<string, string> } | { readonly problem: string } {
  if (Buffer.byteLength(text) >= largest) {
    return { problem: `Dotenv Artifact Too Big. Maximum Allowable Size: ${largest}` };
  }
  const variables = new Map<string, string>();
  for (const one of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
    const [, key, value = ''] = line.exec(one) ?? [];
    if (key === undefined) return { problem: 'Invalid Format' };
    variables.set(key, unquoted(value.trim()));
  }
  if (variables.size > most) return { problem: `Dotenv files cannot have more than ${most} variables` };
  return { variables };
}

function unquoted(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  return quote === undefined ? value : (inner ?? '');
}
