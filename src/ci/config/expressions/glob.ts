import { compilePattern, type Pattern } from './pattern.ts';

const maxGlobLength = 1024;

/**
 * Compiles a file pattern with the semantics of fnmatch with pathname, dotmatch and extglob: `*` and `?` stop at a
 * slash, `**` followed by a slash matches any depth, braces contain alternatives. Undefined when the pattern is too
 * long.
 */
export function compileGlob(glob: string): Pattern | undefined {
  return glob.length > maxGlobLength ? undefined : compilePattern(`^(?s:${translate(glob)})$`);
}

/** Whether a pattern contains wildcards. */
export function hasWildcard(glob: string): boolean {
  return /[*?[\]{}\\]/.test(glob);
}

/**
 * Compiles a wildcard path of `include:local`, which differs: `**` crosses slashes anywhere, and nothing else is
 * special.
 */
export function compileIncludeGlob(path: string): Pattern | undefined {
  const parts = path
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : [...part].map(quote).join('')));
  return path.length > maxGlobLength ? undefined : compilePattern(`^(?s:${parts.join('')})$`);
}

function translate(glob: string): string {
  let out = '';
  let open = 0;
  let start = true;
  for (let index = 0; index < glob.length; index++) {
    const rest = glob.slice(index, index + 3);
    const char = rest[0] as string;
    const wasStart: boolean = start;
    start = char === '/' || (open > 0 && char === ',');
    if (wasStart && rest === '**/') {
      out += '(?:[^/]+/)*';
      index += 2;
      start = true;
    } else if (char === '*') {
      out += '[^/]*';
    } else if (char === '?') {
      out += '[^/]';
    } else if (char === '[' && glob.indexOf(']', index + 2) > 0) {
      const end = glob.indexOf(']', index + 2);
      out += characters(glob.slice(index + 1, end));
      index = end;
    } else if (char === '{' && closes(glob, index)) {
      out += '(?:';
      open++;
      start = wasStart;
    } else if (char === '}' && open > 0) {
      out += ')';
      open--;
    } else if (char === ',' && open > 0) {
      out += '|';
    } else if (char === '\\' && index + 1 < glob.length) {
      index++;
      out += quote(glob[index] as string);
    } else {
      out += quote(char);
    }
  }
  return out;
}

function closes(glob: string, from: number): boolean {
  let depth = 0;
  for (let index = from; index < glob.length; index++) {
    if (glob[index] === '\\') index++;
    else if (glob[index] === '{') depth++;
    else if (glob[index] === '}' && --depth === 0) return true;
  }
  return false;
}

function characters(inside: string): string {
  const negated = /^[!^]/.test(inside);
  const body = (negated ? inside.slice(1) : inside).replace(/[\\[\]^&~]/g, '\\$&');
  return negated ? `[^/${body}]` : `[${body}]`;
}

function quote(char: string): string {
  return /[\\^$.|?*+()[\]{}/]/.test(char) ? `\\${char}` : char;
}
