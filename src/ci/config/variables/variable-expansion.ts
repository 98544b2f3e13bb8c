import type { ContextVariable } from '../context.ts';
import type { VariableLookup } from '../expressions/expression.ts';

/** `$NAME`, `${NAME}`, `%NAME%`; `$$` and `%%` are left for the runner, which takes them for one sign. */
const references = /\$\$|%%|\$([a-zA-Z_]\w*)|\$\{([a-zA-Z_]\w*)\}|%([a-zA-Z_]\w*)%/g;
/** Characters that references may add, together: variables that double each other grow without end. */
const mostGrowth = 8 * 1024 * 1024;
const longestChain = 200;

/** What is not defined becomes nothing. */
export function expand(text: string, variables: VariableLookup): string {
  return substitute(text, (name) => variables(name) ?? '', variables, { left: mostGrowth });
}

/** What is not defined stays as it is written. */
export function expandKnown(text: string, variables: VariableLookup): string {
  return substitute(text, variables, variables, { left: mostGrowth });
}

interface Growth {
  left: number;
}

function substitute(text: string, dollar: VariableLookup, percent: VariableLookup, growth: Growth): string {
  if (!/[$%]/.test(text)) return text;
  return text.replace(references, (whole, plain?: string, braced?: string, dos?: string) => {
    const name = plain ?? braced;
    // Percent signs stand in dates and URLs too: only what is a variable counts as one.
    const value = name !== undefined ? dollar(name) : dos !== undefined ? percent(dos) : undefined;
    if (value === undefined || value.length > growth.left) return whole;
    growth.left -= value.length;
    return value;
  });
}

/**
 * Resolves references of variables to each other, on demand. References to file and raw variables and to undefined ones stay
 * as they are; so do those that lead back to themselves.
 */
export class Expansion {
  private readonly find: (name: string) => ContextVariable | undefined;
  private readonly done = new Map<string, string>();
  private readonly open = new Set<string>();
  private readonly growth: Growth = { left: mostGrowth };

  constructor(find: (name: string) => ContextVariable | undefined) {
    this.find = find;
  }

  value(name: string): string | undefined {
    const variable = this.find(name);
    if (variable === undefined || this.open.has(name) || this.open.size > longestChain) return undefined;
    const known = this.done.get(name);
    if (known !== undefined) return known;
    this.open.add(name);
    const value =
      variable.raw || variable.file
        ? variable.value
        : substitute(variable.value, this.referenced, this.referenced, this.growth);
    this.open.delete(name);
    this.done.set(name, value);
    return value;
  }

  private readonly referenced = (name: string): string | undefined => {
    const variable = this.find(name);
    return variable === undefined || variable.raw || variable.file ? undefined : this.value(name);
  };
}

/** The values of all variables, with their references to each other resolved. */
export function expandAll(variables: readonly ContextVariable[]): Map<string, string> {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]));
  const expansion = new Expansion((name) => byKey.get(name));
  return new Map([...byKey.keys()].map((key) => [key, expansion.value(key) ?? '']));
}
