import type { ContextVariable } from './context.ts';
import { ConfigFault } from './errors.ts';
import type { Value } from './values.ts';

/** `expand_vars`, `truncate(0,8)`, `posix_escape`: what may follow an input after a `|`. */
export function interpolationFunction(call: string, input: Value, variables: readonly ContextVariable[]): Value {
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
  const known = new Map(variables.map((variable) => [variable.key, variable]));
  return text.replace(/\$\$|\$(\w+)|\$\{(\w+)\}/g, (whole, plain?: string, braced?: string) => {
    const variable = known.get(plain ?? braced ?? '');
    if (variable === undefined) return whole;
    if (variable.masked) throw new ConfigFault('variable expansion error: masked variables cannot be expanded');
    return variable.value;
  });
}

function posixEscape(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}
