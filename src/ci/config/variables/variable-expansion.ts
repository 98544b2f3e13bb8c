import type { ContextVariable } from '../context.ts';
import type { VariableLookup } from '../expressions/expression.ts';

/** `$NAME`, `${NAME}`, `%NAME%`. `$$` and `%%` are left for the runner, which unescapes them. */
const references = /\$\$|%%|\$([a-zA-Z_]\w*)|\$\{([a-zA-Z_]\w*)\}|%([a-zA-Z_]\w*)%/g;
/** Maximum number of characters added by expansion: variables that double each other would grow without limit. */
const maxGrowth = 8 * 1024 * 1024;
const maxChainLength = 200;

/** Expands variables; undefined ones become empty. */
export function expand(text: string, variables: VariableLookup): string {
  return substitute(text, (name) => variables(name) ?? '', variables, { left: maxGrowth });
}

/** Expands variables; undefined ones are left unchanged. */
export function expandKnown(text: string, variables: VariableLookup): string {
  return substitute(text, variables, variables, { left: maxGrowth });
}

interface Growth {
  left: number;
}

function substitute(text: string, dollar: VariableLookup, percent: VariableLookup, growth: Growth): string {
  if (!/[$%]/.test(text)) return text;
  return text.replace(references, (reference, plain?: string, braced?: string, dos?: string) => {
    const name = plain ?? braced;
    // Percent signs also occur in dates and URLs, so only defined variables are expanded.
    const value = name !== undefined ? dollar(name) : dos !== undefined ? percent(dos) : undefined;
    if (value === undefined || value.length > growth.left) return reference;
    growth.left -= value.length;
    return value;
  });
}

/**
 * Expands references between variables on demand. References to file, raw and undefined variables, and circular ones,
 * are left unchanged.
 */
export class Expansion {
  private readonly find: (name: string) => ContextVariable | undefined;
  private readonly done = new Map<string, string>();
  private readonly open = new Set<string>();
  private readonly growth: Growth = { left: maxGrowth };

  constructor(find: (name: string) => ContextVariable | undefined) {
    this.find = find;
  }

  value(name: string): string | undefined {
    const variable = this.find(name);
    if (variable === undefined || this.open.has(name) || this.open.size > maxChainLength) return undefined;
    const cached = this.done.get(name);
    if (cached !== undefined) return cached;
    this.open.add(name);
    const value = variable.raw
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

/** Expands the references of all variables to each other. */
export function expandAll(variables: readonly ContextVariable[]): Map<string, string> {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]));
  const expansion = new Expansion((name) => byKey.get(name));
  return new Map([...byKey.keys()].map((key) => [key, expansion.value(key) ?? '']));
}
