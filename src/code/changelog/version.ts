import type { RE2JS } from 're2js';
import { compileUserRegex } from '../../platform/user-regex.ts';

/** The numeric parts of a version. */
export type Numbers = readonly [major: number, minor: number, patch: number];

const number = '(?:0|[1-9][0-9]{0,14})';
const dotted = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const semantic = `${number}\\.${number}\\.${number}(?:-${dotted})?(?:\\+${dotted})?`;
const anywhere = new RegExp(semantic);
const whole = new RegExp(`^v?(${number})\\.(${number})\\.(${number})(?:-(${dotted}))?(?:\\+${dotted})?$`);

/** The default expression for version tags. */
export const defaultTagRegex =
  '^v?(?P<major>0|[1-9]\\d*)\\.(?P<minor>0|[1-9]\\d*)\\.(?P<patch>0|[1-9]\\d*)' +
  '(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\\+(?P<meta>[0-9A-Za-z.-]+))?$';

/** Whether a text contains a semantic version. */
export function holdsVersion(text: string): boolean {
  return anywhere.test(text);
}

/** A version as changelogs show it, without the `v` prefix. */
export function shownVersion(version: string): string {
  return version.replace(/^v/, '');
}

/** Parses a semantic version; undefined if the whole text is not one. */
export function versionNumbers(version: string): Numbers | undefined {
  const found = whole.exec(version);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

function compareNumbers(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Compares semantic versions. A pre-release sorts before its release. */
export function compareSemantic(a: string, b: string): number {
  const [left, right] = [whole.exec(a), whole.exec(b)];
  const numbers = compareNumbers(versionNumbers(a) ?? [0, 0, 0], versionNumbers(b) ?? [0, 0, 0]);
  if (numbers !== 0) return numbers;
  const [early, late] = [left?.[4], right?.[4]];
  if (early === undefined || late === undefined) return Number(early === undefined) - Number(late === undefined);
  return comparePre(early.split('.'), late.split('.'));
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const digits = [/^\d+$/.test(left), /^\d+$/.test(right)];
    const order = digits[0] && digits[1] ? Number(left) - Number(right) : left < right ? -1 : Number(left > right);
    if (digits[0] !== digits[1]) return digits[0] ? -1 : 1;
    if (order !== 0) return order;
  }
  return 0;
}

/** A tag expression that cannot be used. The message is RE2's, or names the missing group. */
export class TagRegexError extends Error {
  override readonly name = 'TagRegexError';
}

/**
 * Returns the tag with the highest version below another. Pre-release tags are ignored, because a changelog lists the
 * changes since the last stable release.
 */
export function previousTag(names: Iterable<string>, below: Numbers, regex: string): string | undefined {
  const expression = compiled(regex);
  const groups = expression.namedGroups();
  let best: { name: string; numbers: Numbers } | undefined;
  for (const name of names) {
    const match = expression.matcher(name);
    if (!match.find() || (Object.hasOwn(groups, 'pre') && match.group('pre'))) continue;
    const number = (part: 'major' | 'minor' | 'patch') => Number(match.group(part));
    const numbers: Numbers = [number('major'), number('minor'), number('patch')];
    if (!numbers.every(Number.isSafeInteger) || compareNumbers(numbers, below) >= 0) continue;
    if (!best || compareNumbers(numbers, best.numbers) > 0) best = { name, numbers };
  }
  return best?.name;
}

function compiled(regex: string): RE2JS {
  let expression: RE2JS;
  try {
    expression = compileUserRegex(regex);
  } catch (error) {
    throw new TagRegexError(error instanceof Error ? error.message : String(error));
  }
  const groups = expression.namedGroups();
  const missing = ['major', 'minor', 'patch'].filter((name) => !Object.hasOwn(groups, name));
  if (missing.length > 0) throw new TagRegexError(`missing group: ${missing.join(', ')}`);
  return expression;
}
