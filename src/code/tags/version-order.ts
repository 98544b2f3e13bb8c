const ZERO = 48;
const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= 57;

/** The digits before the first difference: none, a number, zeros, or a fraction after leading zeros. */
type Run = 'none' | 'number' | 'zeros' | 'fraction';

/**
 * Compares names like `git for-each-ref --sort=version:refname`: digit sequences by value, so that v1.10 sorts after
 * v1.9; digits after a leading zero as a fraction; everything else by byte.
 */
export function compareVersions(a: string, b: string): number {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  if (at === left.length && at === right.length) return 0;
  const bytes = (left[at] ?? 0) - (right[at] ?? 0);
  const digits = [isDigit(left[at]), isDigit(right[at])] as const;
  const run = runBefore(left, at);
  if (digits[0] && digits[1]) {
    // After zeros, each digit is a decimal place; so is a zero that starts a sequence.
    const leadingZero = run === 'none' && (left[at] === ZERO || right[at] === ZERO);
    return run === 'zeros' || run === 'fraction' || leadingZero ? bytes : byLength(left, right, at) || bytes;
  }
  if (!digits[0] && !digits[1]) return bytes;
  // Only one sequence continues: a longer number is greater, more zeros are less.
  const longer = digits[0] ? 1 : -1;
  return run === 'number' ? longer : run === 'zeros' ? -longer : bytes;
}

function runBefore(name: Buffer, end: number): Run {
  let start = end;
  while (start > 0 && isDigit(name[start - 1])) start--;
  if (start === end) return 'none';
  if (name[start] !== ZERO) return 'number';
  return name.subarray(start, end).every((code) => code === ZERO) ? 'zeros' : 'fraction';
}

function byLength(left: Buffer, right: Buffer, from: number): number {
  return digitsFrom(left, from) - digitsFrom(right, from);
}

function digitsFrom(name: Buffer, from: number): number {
  let end = from;
  while (isDigit(name[end])) end++;
  return end - from;
}
