import { RE2JS } from 're2js';
import { lengthProblem } from './http/parameters/too-long.ts';

/** Maximum number of states of a user's regular expression; each takes ten microseconds and a kilobyte to compile. */
const MAX_STATES = 2000;
// Estimated ranges of a Unicode class; large ones have hundreds.
const UNICODE_CLASS = 10;

const REPEAT = /\{(\d+)(?:,(\d*))?\}/y;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/y;
const FLAGS = /\(\?[a-zA-Z-]*\)/y;

/** Compiles a regular expression given by a user; throws if it is invalid or too large. */
export function compileUserRegex(source: string): RE2JS {
  if (estimatedStates(source) > MAX_STATES) throw new Error('expression too large');
  return RE2JS.compile(source);
}

const MAX_STORED_LENGTH = 511;

/** The problem with a regular expression that is to be saved, if any. */
export function userRegexProblem(source: string): string | undefined {
  const long = lengthProblem(source, MAX_STORED_LENGTH);
  if (long !== undefined) return long;
  try {
    compileUserRegex(source);
    return undefined;
  } catch (error) {
    return `not valid RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Estimates how many states RE2 creates for an expression. Matching takes linear time for any expression, but counted
 * repeats are expanded: `a{1000}b{1000}…` of one kilobyte would block the server for a second.
 */
export function estimatedStates(source: string): number {
  const groups = [0];
  let last = 0;
  const add = (states: number) => groups.push((groups.pop() ?? 0) + states);
  for (let at = 0; at < source.length; ) {
    const repeat = matchAt(REPEAT, source, at);
    const group = matchAt(FLAGS, source, at) ?? matchAt(GROUP, source, at);
    if (repeat) {
      const copies = Math.max(Number(repeat[1]), Number(repeat[2] || 0), 1);
      add(last * (copies - 1));
      last *= copies;
      at += repeat[0].length;
    } else if (group) {
      if (!group[0].endsWith(')')) groups.push(0);
      at += group[0].length;
    } else if (source[at] === ')') {
      last = groups.length > 1 ? (groups.pop() ?? 0) : 0;
      add(last);
      at++;
    } else if ('*+?|'.includes(source[at] ?? '')) {
      at++;
    } else {
      const atom = atomAt(source, at);
      last = atom.states;
      add(last);
      at = atom.end;
    }
  }
  return groups.reduce((sum, states) => sum + states, 0);
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

interface Atom {
  readonly states: number;
  /** Where the next atom begins. */
  readonly end: number;
}

function atomAt(source: string, at: number): Atom {
  if (source[at] === '[') return classAt(source, at);
  if (source[at] !== '\\') return { states: 1, end: at + 1 };
  const letter = source[at + 1] ?? '';
  if (letter === 'Q') {
    const end = after(source, '\\E', at + 2);
    return { states: end - at, end };
  }
  const unicode = letter === 'p' || letter === 'P';
  const braced = (unicode || letter === 'x') && source[at + 2] === '{';
  return { states: unicode ? 1 + UNICODE_CLASS : 1, end: braced ? after(source, '}', at + 3) : at + (unicode ? 3 : 2) };
}

function classAt(source: string, start: number): Atom {
  let states = 1;
  let at = start + (source[start + 1] === '^' ? 2 : 1);
  // At the beginning of a class a closing bracket is literal.
  if (source[at] === ']') at++;
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source.startsWith('[:', at)) at = Math.max(at, source.indexOf(':]', at) + 1);
    if (source[at] !== '\\') continue;
    at++;
    if (source[at] === 'p' || source[at] === 'P') states += UNICODE_CLASS;
  }
  return { states, end: at + 1 };
}

function after(source: string, end: string, from: number): number {
  const at = source.indexOf(end, from);
  return at < 0 ? source.length : at + end.length;
}
