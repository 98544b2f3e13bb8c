/**
 * A pattern of `.gitattributes`. Repository content is untrusted, so matching backtracks over one star at a time at
 * most: the cost is bounded by pattern length times path length.
 */
export interface AttributePattern {
  /** A pattern without a slash is matched against the last path component. */
  readonly basenameOnly: boolean;
  readonly segments: readonly string[];
}

/** Compiles a pattern; undefined when it can never match a file. */
export function attributePattern(source: string): AttributePattern | undefined {
  if (source === '' || source.startsWith('!') || source.endsWith('/')) return undefined;
  const basenameOnly = !source.includes('/');
  const plain = source.replace(/\\(.)/g, (pair, char) => (char === '/' ? '/' : pair));
  const rooted = plain.startsWith('/') ? plain.slice(1) : plain;
  return { basenameOnly, segments: rooted.split('/') };
}

/** Whether a path, relative to the folder of the attributes file, matches. Both are byte strings (latin1). */
export function matchesPattern(pattern: AttributePattern, path: string): boolean {
  const names = path.split('/');
  if (pattern.basenameOnly) return matchesName(pattern.segments[0] ?? '', names.at(-1) ?? '');
  return matchesSegments(pattern.segments, names);
}

function matchesSegments(pattern: readonly string[], names: readonly string[]): boolean {
  let p = 0;
  let n = 0;
  let star: { p: number; n: number } | undefined;
  while (n < names.length) {
    const segment = pattern[p];
    if (segment === '**') {
      // A trailing `/**` matches everything inside; a leading or inner `**/` also matches nothing.
      if (p === pattern.length - 1) return true;
      star = { p: ++p, n };
    } else if (segment !== undefined && matchesName(segment, names[n] ?? '')) {
      p++;
      n++;
    } else if (star) {
      p = star.p;
      n = ++star.n;
    } else return false;
  }
  return p === pattern.length;
}

function matchesName(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star: { p: number; n: number } | undefined;
  while (n < name.length) {
    if (pattern[p] === '*') {
      while (pattern[p] === '*') p++;
      star = { p, n };
      continue;
    }
    const next = matchOne(pattern, p, name.charCodeAt(n));
    if (next !== undefined) {
      p = next;
      n++;
    } else if (star) {
      p = star.p;
      n = ++star.n;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Returns the index behind the pattern element at `p` if it matches the byte. */
function matchOne(pattern: string, p: number, byte: number): number | undefined {
  const char = pattern[p];
  if (char === undefined) return undefined;
  if (char === '?') return p + 1;
  if (char === '[') return matchBracket(pattern, p, byte);
  const literal = char === '\\' ? p + 1 : p;
  return pattern.charCodeAt(literal) === byte ? literal + 1 : undefined;
}

function matchBracket(pattern: string, start: number, byte: number): number | undefined {
  let p = start + 1;
  const negated = pattern[p] === '!' || pattern[p] === '^';
  if (negated) p++;
  let hit = false;
  for (let first = true; first || pattern[p] !== ']'; first = false) {
    if (p >= pattern.length) return undefined;
    const named = /^\[:([a-z]+):\]/.exec(pattern.slice(p, p + 12));
    if (named?.[1]) {
      hit ||= CLASSES[named[1]]?.(byte) ?? false;
      p += named[0].length;
      continue;
    }
    if (pattern[p] === '\\') p++;
    const low = pattern.charCodeAt(p++);
    let high = low;
    if (pattern[p] === '-' && pattern[p + 1] !== ']' && p + 1 < pattern.length) {
      p += pattern[p + 1] === '\\' ? 2 : 1;
      high = pattern.charCodeAt(p++);
    }
    hit ||= byte >= low && byte <= high;
  }
  return hit !== negated ? p + 1 : undefined;
}

const within = (set: RegExp) => (byte: number) => set.test(String.fromCharCode(byte));

const CLASSES: Readonly<Record<string, (byte: number) => boolean>> = {
  alnum: within(/[0-9A-Za-z]/),
  alpha: within(/[A-Za-z]/),
  blank: within(/[ \t]/),
  cntrl: (byte) => byte < 32 || byte === 127,
  digit: within(/[0-9]/),
  graph: (byte) => byte > 32 && byte < 127,
  lower: within(/[a-z]/),
  print: (byte) => byte >= 32 && byte < 127,
  punct: (byte) => byte > 32 && byte < 127 && !/[0-9A-Za-z]/.test(String.fromCharCode(byte)),
  space: within(/[ \t\n\v\f\r]/),
  upper: within(/[A-Z]/),
  xdigit: within(/[0-9A-Fa-f]/),
};
