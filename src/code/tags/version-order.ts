const ZERO = 48;
const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= 57;

/** What the common digits in front of the first difference are: none, a number, zeros, or a fraction behind zeros. */
type Run = 'none' | 'number' | 'zeros' | 'fraction';

/**
 * Orders names as `git for-each-ref --sort=version:refname` does: runs of digits by their value, so that v1.10 comes
 * after v1.9; digits behind a leading zero are a fraction; everything else byte by byte.
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
    // Behind zeros each digit is a decimal place; a zero that begins a run is one too.
    const leadingZero = run === 'none' && (left[at] === ZERO || right[at] === ZERO);
    return run === 'zeros' || run === 'fraction' || leadingZero ? bytes : byLength(left, right, at) || bytes;
  }
  if (!digits[0] && !digits[1]) return bytes;
  // One of the runs goes on and the other has ended: a longer number is greater, more zeros are less.
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
