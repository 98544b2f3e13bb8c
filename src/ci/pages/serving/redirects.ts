/** Maximum number of bytes read from a `_redirects` file. */
export const maxFileBytes = 64 * 1024;
const maxRules = 1000;
const maxParts = 25;
/** Maximum number of path segments matched, which bounds the cost of evaluating rules. */
const maxPathSegments = 200;

export interface Rule {
  readonly host: string | undefined;
  readonly from: readonly string[];
  readonly to: string;
  readonly status: 200 | 301 | 302;
}

export type Line = Rule | { readonly problem: string };

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

/** Parses the rules of a file, with errors for invalid rules. */
export function readRules(text: string): Line[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  return lines
    .filter((line) => line !== '')
    .slice(0, maxRules)
    .map(readRule);
}

function readRule(line: string): Line {
  const [from = '', to, word = '301', ...more] = line.split(/\s+/);
  if (to === undefined || more.length > 0)
    return { problem: 'a rule consists of a path, a target and an optional status' };
  const status = word === '301' || word === '302' || word === '200' ? (Number(word) as Rule['status']) : undefined;
  if (status === undefined) return { problem: 'the status must be 200, 301 or 302' };
  const [, host, path = from] = /^https?:\/\/([^/]+)(\/.*)?$/i.exec(from) ?? [];
  const elsewhere = /^https?:\/\/[^/]/i.test(to) && URL.canParse(to);
  if (host === undefined && !from.startsWith('/')) return { problem: 'the path must start with a slash' };
  if (!elsewhere && !to.startsWith('/')) return { problem: 'the target must start with a slash' };
  if (elsewhere && status === 200) return { problem: 'another host can only be the target of a redirect' };
  const parts = partsOf(host === undefined ? from : path);
  if (parts.length > maxParts || partsOf(to).length > maxParts)
    return { problem: `a path can have at most ${maxParts} segments` };
  return { host: host?.toLowerCase(), from: parts, to, status };
}

export interface Redirect {
  readonly to: string;
  readonly status: Rule['status'];
}

/** Returns the target of the first rule that matches a request. */
export function redirectOf(rules: readonly Line[], host: string, path: readonly string[]): Redirect | undefined {
  if (path.length > maxPathSegments) return undefined;
  for (const rule of rules) {
    if ('problem' in rule || (rule.host !== undefined && rule.host !== host)) continue;
    const values = matchPath(rule.from, path);
    if (values) return { to: fillPlaceholders(rule.to, values), status: rule.status };
  }
  return undefined;
}

/** Matches a path and returns the values of placeholders; a splat takes as many segments as possible. */
function matchPath(from: readonly string[], path: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  // Each path position is tried once per rule segment, so several splats do not cause exponential backtracking.
  const dead = new Set<number>();
  const from1 = from.length + 1;
  const fits = (at: number, place: number): boolean => {
    if (at === from.length) return place === path.length;
    const mark = place * from1 + at;
    if (dead.has(mark)) return false;
    if (step(at, place)) return true;
    dead.add(mark);
    return false;
  };
  const step = (at: number, place: number): boolean => {
    const part = from[at] as string;
    if (part === '*') {
      for (let end = path.length; end >= place; end -= 1) {
        if (!fits(at + 1, end)) continue;
        // The first splat counts, and the innermost call returns first.
        values.set('splat', path.slice(place, end).map(encodeURIComponent).join('/'));
        return true;
      }
      return false;
    }
    const segment = path[place];
    const [, name] = /^:([A-Za-z]+)$/.exec(part) ?? [];
    if (segment === undefined || (name === undefined && part !== segment) || !fits(at + 1, place + 1)) return false;
    if (name !== undefined) values.set(name, encodeURIComponent(segment));
    return true;
  };
  return fits(0, 0) ? values : undefined;
}

function fillPlaceholders(to: string, values: ReadonlyMap<string, string>): string {
  const [, origin = '', path = to] = /^(https?:\/\/[^/?#]+)(|[/?#].*)$/is.exec(to) ?? [];
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => values.get(name) ?? '');
  // Leading double slashes would refer to another host.
  return origin + (origin === '' ? filled.replace(/^[/\\]+/, '/') : filled);
}

/** Text shown when the `_redirects` file itself is requested. */
export function explainRules(rules: readonly Line[]): string {
  const lines = rules.map((rule, at) => `rule ${at + 1}: ${'problem' in rule ? `error: ${rule.problem}` : 'valid'}`);
  return `${rules.length} rules\n${lines.join('\n')}\n`;
}
