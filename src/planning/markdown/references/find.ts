import type { Reference, WrittenReference } from './reference.ts';

/** A reference and its range in the text. */
export interface FoundReference extends WrittenReference {
  readonly start: number;
  readonly end: number;
}

/** Maximum length of a project path in a reference; bounds the search before a sign. */
const MAX_PATH_LENGTH = 512;

/** Issue keys of external trackers: `ABC-12`, `CU-8a1f`, `defect 12`. */
const external =
  /(?:[A-Za-z][A-Za-z0-9_]{0,49}-[1-9]\d{0,9}|CU-[a-z0-9]{1,20}|(?:[Bb]ug|[Tt]ask|[Dd]efect|[Rr]tcwi|[Ww]ork ?item) [1-9]\d{0,9})(?![\w#!$&@~%/-]|\.\w)/;
/** Signs that references start with, possible commit IDs, and external issue keys. */
const starts = new RegExp(
  `[#!$&@~%]|\\*iteration:|(?<![\\w./@#!$&~%-])(?:[0-9a-f]{7,40}(?![\\w@/-])|${external.source})`,
  'g',
);
const isExternal = new RegExp(`^${external.source}`);

const wordCharacter = /[\p{L}\p{N}_]/u;
const number = /([1-9]\d{0,9})(\+s?)?(?![\p{L}\p{N}_])/uy;
const userName =
  /[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,253}[\p{L}\p{N}_-])?(?:\/[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,253}[\p{L}\p{N}_-])?){0,20}/uy;
const quotedName = /"([^"\n]{1,255})"|'([^'\n]{1,255})'/y;
const labelName = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.&?:-]{0,253}[\p{L}\p{N}_&-])?/uy;
const milestoneName = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,253}[\p{L}\p{N}_-])?/uy;
const shaOrRange = /([0-9a-f]{7,40})(?:(\.{2,3})([0-9a-f]{7,40}))?(?![\w@])/y;
const shaAfterPath = /([0-9a-f]{7,40})(?:(\.{2,3})([0-9a-f]{7,40}))?(?![\w./-]*[\w/])/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns the path that ends right before a sign; empty if there is none, undefined if the sign is part of a word. */
function pathBefore(text: string, sign: number, earliest: number): string | undefined {
  let start = sign;
  while (start > earliest && sign - start < MAX_PATH_LENGTH && /[\w./-]/.test(text[start - 1] ?? '')) start -= 1;
  if (start === sign) return wordCharacter.test(text[sign - 1] ?? ' ') ? undefined : '';
  const path = text.slice(start, sign);
  const whole = start === 0 || !wordCharacter.test(text[start - 1] ?? '');
  return whole && /^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(path) ? path : undefined;
}

const numbered = { '#': 'issue', '!': 'merge_request', $: 'snippet', '&': 'epic' } as const;
const isNumbered = (sign: string): sign is keyof typeof numbered => sign in numbered;

function named(text: string, at: number, bare: RegExp): { name: string; end: number } | undefined {
  const quoted = match(quotedName, text, at);
  if (quoted) return { name: quoted[1] ?? quoted[2] ?? '', end: at + quoted[0].length };
  const plain = match(bare, text, at);
  return plain ? { name: plain[0], end: at + plain[0].length } : undefined;
}

function commit(found: RegExpExecArray, path: string): Reference {
  const [, sha = '', dots, to] = found;
  const place = path === '' ? {} : { path };
  return dots && to ? { type: 'commit_range', ...place, from: sha, to, dots } : { type: 'commit', ...place, sha };
}

type Read = { reference: Reference; end: number; show?: 'title' | 'summary' } | undefined;

/** Parses a reference starting at its sign, given the path before it. */
function readFrom(sign: string, text: string, at: number, path: string): Read {
  const place = path === '' ? {} : { path };
  const after = at + sign.length;
  if (isNumbered(sign)) {
    const found = match(number, text, after);
    if (!found) return undefined;
    const show = found[2] === '+' ? 'title' : found[2] === '+s' ? 'summary' : undefined;
    const summary = show === 'summary' && ({ summary: true } as const);
    const reference: Reference = { type: numbered[sign], ...place, iid: Number(found[1]), ...summary };
    return { reference, end: after + found[0].length, ...(show && { show }) };
  }
  if (sign === '@') {
    const found = match(path === '' ? userName : shaAfterPath, text, after);
    if (!found) return undefined;
    const reference: Reference = path === '' ? { type: 'user', name: found[0] } : commit(found, path);
    return { reference, end: after + found[0].length };
  }
  if (sign === '~' || sign === '%') {
    const found = named(text, after, sign === '~' ? labelName : milestoneName);
    const type = sign === '~' ? 'label' : 'milestone';
    return found && { reference: { type, ...place, name: found.name }, end: found.end };
  }
  if (sign === '*iteration:') {
    const found = named(text, after, milestoneName);
    return found && { reference: { type: 'iteration', name: found.name }, end: found.end };
  }
  if (isExternal.test(sign)) return { reference: { type: 'external_issue', name: sign }, end: after };
  const found = match(shaOrRange, text, at);
  // A commit ID must contain a digit: `defaced` is an English word.
  if (!found || !/\d/.test(found[1] ?? '')) return undefined;
  return { reference: commit(found, ''), end: at + found[0].length };
}

/** Finds the references in plain text, from left to right, in linear time. */
export function findReferences(text: string): FoundReference[] {
  const all: FoundReference[] = [];
  let done = 0;
  starts.lastIndex = 0;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const sign = start[0];
    const path = /^[A-Za-z0-9]/.test(sign) ? '' : pathBefore(text, start.index, done);
    const read = path === undefined ? undefined : readFrom(sign, text, start.index, path);
    if (path === undefined || read === undefined) continue;
    const begin = start.index - path.length;
    const written = text.slice(begin, read.end);
    all.push({
      reference: read.reference,
      written,
      start: begin,
      end: read.end,
      ...(read.show && { show: read.show }),
    });
    done = read.end;
    starts.lastIndex = Math.max(read.end, start.index + 1);
  }
  return all;
}
