import { RE2JS } from 're2js';
import { tooLong } from './http/parameters/too-long.ts';

/** So many states an expression of a caller may have; each takes ten microseconds and a kilobyte to compile. */
const MAX_STATES = 2000;
// A class of Unicode has hundreds of ranges.
const UNICODE_CLASS = 10;

const REPEAT = /\{(\d+)(?:,(\d*))?\}/y;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/y;
const FLAGS = /\(\?[a-zA-Z-]*\)/y;

/** Compiles an expression of a caller; throws what RE2 finds wrong with it, or that it is too large. */
export function compileUserRegex(source: string): RE2JS {
  if (estimatedStates(source) > MAX_STATES) throw new Error('expression too large');
  return RE2JS.compile(source);
}

const MAX_KEPT_LENGTH = 511;

/** What is wrong with an expression that shall be kept, if anything. */
export function userRegexProblem(source: string): string | undefined {
  const long = tooLong(source, MAX_KEPT_LENGTH);
  if (long !== undefined) return long;
  try {
    compileUserRegex(source);
    return undefined;
  } catch (error) {
    return `not valid RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * About how many states RE2 makes of an expression. Matching is linear in time whatever the expression is, but counted
 * repeats are written out: `a{1000}b{1000}…` of one kilobyte would hold the server for a second.
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
  /** Where the next begins. */
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
  // Right at its beginning the bracket stands for itself.
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
