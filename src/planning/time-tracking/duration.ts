const HOUR = 3600;
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;
/** A calendar year; the other units are multiples of working hours. */
const YEAR = 31_557_600;

/** Maximum total time spent on an item, in seconds. */
export const MAX_TOTAL_TIME_SPENT = YEAR;
export const MAX_TIMELOG_SUMMARY_LENGTH = 255;

/** Largest duration that clients with 32-bit integers can represent. */
const MAX_DURATION = 2 ** 31 - 1;
const MAX_DURATION_TEXT_LENGTH = 255;

const unitNames: readonly (readonly [seconds: number, names: string])[] = [
  [1, 's sec secs second seconds'],
  [60, 'm min mins minute minutes'],
  [HOUR, 'h hr hrs hour hours'],
  [DAY, 'd dy day days'],
  [WEEK, 'w wk wks week weeks'],
  [MONTH, 'mo mos month months'],
  [YEAR, 'y yr yrs year years'],
];
const units = new Map(unitNames.flatMap(([seconds, names]) => names.split(' ').map((name) => [name, seconds])));

const smallNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tens = '_ _ twenty thirty forty fifty sixty seventy eighty ninety';
const numberWords = new Map([
  ...smallNumbers.split(' ').map((word, value) => [word, value] as const),
  ...tens.split(' ').map((word, value) => [word, value * 10] as const),
]);
numberWords.delete('_');

const joiningWords = new Set(['and', 'with', 'plus']);

type Word = { readonly number: number } | { readonly unit: number } | { readonly factor: number };

/** `3:30` is three minutes and thirty seconds, `4:01:01` four hours, one minute and one second. */
function clockSeconds(text: string): number | undefined {
  const parts = text.split(':').map(Number);
  if (parts.length > 3) return undefined;
  return parts.reduce((sum, part) => sum * 60 + part, 0);
}

function readWord(word: string): Word | undefined {
  if (/^\d/.test(word) || word.startsWith('.')) {
    const number = Number(word);
    return Number.isFinite(number) ? { number } : undefined;
  }
  const unit = units.get(word);
  if (unit !== undefined) return { unit };
  if (word === 'hundred') return { factor: 100 };
  if (word === 'thousand') return { factor: 1000 };
  const number = numberWords.get(word);
  return number === undefined ? undefined : { number };
}

/** Adds `twenty` and `five`, but not `5` and `2`: two numerals in a row are an error. */
function joinNumbers(before: number | undefined, next: number): number | undefined {
  if (before === undefined) return next;
  const roundEnough = next < 10 ? before % 10 === 0 : before % 100 === 0;
  return before >= 20 && roundEnough && next > 0 && next < 100 ? before + next : undefined;
}

function sumOf(words: readonly string[]): number | undefined {
  let sum = 0;
  let pending: number | undefined;
  let pendingInWords = false;
  for (const text of words) {
    const word = readWord(text);
    if (word === undefined) return undefined;
    if ('unit' in word) {
      sum += (pending ?? 1) * word.unit;
      pending = undefined;
      continue;
    }
    const withReadableErrors = !/\d/.test(text);
    if (pending !== undefined && !(withReadableErrors && pendingInWords)) return undefined;
    pending = 'factor' in word ? (pending ?? 1) * word.factor : joinNumbers(pending, word.number);
    if (pending === undefined) return undefined;
    pendingInWords = withReadableErrors;
  }
  return pending === undefined ? sum : sum + pending * HOUR;
}

/**
 * Parses a duration such as `1w 2d`, `-1.5h` or `two hours and 5 minutes` to seconds; undefined if it is invalid. Zero
 * is valid; callers that need a positive duration have to check.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '' || trimmed.length > MAX_DURATION_TEXT_LENGTH) return undefined;
  const negative = trimmed.startsWith('-');
  const unsigned = negative ? trimmed.slice(1).trim() : trimmed;

  const words = /^\d+(?::\d+)+$/.test(unsigned)
    ? [`${clockSeconds(unsigned)}`, 's']
    : unsigned
        .replace(/\d+(?:\.\d+)?|\.\d+/g, ' $& ')
        .split(/[\s]+|(?<=[a-z])-(?=[a-z])/)
        .map((word) => word.replace(/^,|,$/g, ''))
        .filter((word) => word !== '' && !joiningWords.has(word));
  if (words.length === 0) return undefined;

  const seconds = sumOf(words);
  if (seconds === undefined || seconds > MAX_DURATION) return undefined;
  const whole = Math.trunc(seconds);
  return negative && whole !== 0 ? -whole : whole;
}

const outputUnits: readonly (readonly [seconds: number, suffix: string])[] = [
  [MONTH, 'mo'],
  [WEEK, 'w'],
  [DAY, 'd'],
  [HOUR, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** Formats a duration as `1w 4d 5h`, largest units first, without zeros; null for zero. */
export function formatDuration(seconds: number, options: { readonly hoursOnly?: boolean } = {}): string | null {
  const parts: string[] = [];
  let rest = Math.abs(Math.trunc(seconds));
  if (rest === 0) return null;
  const take = ([size, suffix]: readonly [number, string]) => {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${suffix}`);
    rest -= count * size;
  };
  // A calendar year is not a whole number of working months, so it is only used if it leaves the smaller remainder.
  if (!options.hoursOnly && rest >= YEAR && rest % YEAR < rest % MONTH) take([YEAR, 'y']);
  for (const unit of options.hoursOnly ? outputUnits.slice(3) : outputUnits) take(unit);
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
