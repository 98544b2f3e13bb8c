/** Of a `_redirects` file no more is read. */
export const longestFile = 64 * 1024;
const maxRules = 1000;
const maxParts = 25;
/** Of the path of a request, so that no request makes the rules of a site costly. */
const maxAsked = 200;

export interface Rule {
  readonly host: string | undefined;
  readonly from: readonly string[];
  readonly to: string;
  readonly status: 200 | 301 | 302;
}

export type Line = Rule | { readonly problem: string };

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

/** The rules of a file, with what is wrong with those that are not taken. */
export function readRules(text: string): Line[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  return lines
    .filter((line) => line !== '')
    .slice(0, maxRules)
    .map(readRule);
}

function readRule(line: string): Line {
  const [from = '', to, word = '301', ...more] = line.split(/\s+/);
  if (to === undefined || more.length > 0) return { problem: 'a rule is a path, an address and perhaps a status' };
  const status = word === '301' || word === '302' || word === '200' ? (Number(word) as Rule['status']) : undefined;
  if (status === undefined) return { problem: 'the status is 200, 301 or 302' };
  const [, host, path = from] = /^https?:\/\/([^/]+)(\/.*)?$/i.exec(from) ?? [];
  const elsewhere = /^https?:\/\/[^/]/i.test(to) && URL.canParse(to);
  if (host === undefined && !from.startsWith('/')) return { problem: 'the path must start with a slash' };
  if (!elsewhere && !to.startsWith('/')) return { problem: 'what it leads to must start with a slash' };
  if (elsewhere && status === 200) return { problem: 'another host is only redirected to' };
  const parts = partsOf(host === undefined ? from : path);
  if (parts.length > maxParts || partsOf(to).length > maxParts)
    return { problem: `a path has ${maxParts} parts at most` };
  return { host: host?.toLowerCase(), from: parts, to, status };
}

export interface Redirect {
  readonly to: string;
  readonly status: Rule['status'];
}

/** Where the first rule leads that fits a request. */
export function redirectOf(rules: readonly Line[], host: string, path: readonly string[]): Redirect | undefined {
  if (path.length > maxAsked) return undefined;
  for (const rule of rules) {
    if ('problem' in rule || (rule.host !== undefined && rule.host !== host)) continue;
    const values = matched(rule.from, path);
    if (values) return { to: filledIn(rule.to, values), status: rule.status };
  }
  return undefined;
}

/** What the placeholders of a rule stand for in a path; a star takes as many parts as it can. */
function matched(from: readonly string[], path: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  // Each place is tried once from each part of the rule, so that many stars cost no more than their number.
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
        // The first star counts, and the innermost call is the last one's.
        values.set('splat', path.slice(place, end).map(encodeURIComponent).join('/'));
        return true;
      }
      return false;
    }
    const given = path[place];
    const [, name] = /^:([A-Za-z]+)$/.exec(part) ?? [];
    if (given === undefined || (name === undefined && part !== given) || !fits(at + 1, place + 1)) return false;
    if (name !== undefined) values.set(name, encodeURIComponent(given));
    return true;
  };
  return fits(0, 0) ? values : undefined;
}

function filledIn(to: string, values: ReadonlyMap<string, string>): string {
  const [, origin = '', path = to] = /^(https?:\/\/[^/?#]+)(|[/?#].*)$/is.exec(to) ?? [];
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => values.get(name) ?? '');
  // Two slashes at the beginning would name another host.
  return origin + (origin === '' ? filled.replace(/^[/\\]+/, '/') : filled);
}

/** What people see who ask for the file itself. */
export function explainRules(rules: readonly Line[]): string {
  const lines = rules.map((rule, at) => `rule ${at + 1}: ${'problem' in rule ? `error: ${rule.problem}` : 'valid'}`);
  return `${rules.length} rules\n${lines.join('\n')}\n`;
}
