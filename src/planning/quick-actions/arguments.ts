import { emojiName, emojiNameOfCharacter } from '../../platform/emoji.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { parseDuration } from '../time-tracking/public.ts';
import { type Day, parseDay } from './dates.ts';

/** Maximum number of users looked up for one command. */
const MAX_PEOPLE = 100;
const MAX_ITEMS = 100;

/** Usernames without `@`; `me` stands for the writer. */
export interface People {
  readonly usernames: readonly string[];
  readonly me: boolean;
}

export interface Spending {
  readonly seconds: number;
  readonly day?: Day;
  readonly category?: string;
}

/** Argument types by name of the argument grammar. */
export interface ArgumentOf {
  readonly none: true;
  /** Required text. */
  readonly text: string;
  /** Optional text. */
  readonly maybeText: string;
  readonly people: People;
  readonly maybePeople: People | null;
  readonly labels: readonly string[];
  readonly maybeLabels: readonly string[] | null;
  /** Title of a milestone, or `%1` for an IID. */
  readonly milestone: string;
  /** References to issues, merge requests or epics, as written. */
  readonly items: readonly string[];
  readonly item: string;
  readonly day: Day;
  readonly duration: number;
  readonly spending: Spending;
  readonly number: number;
  readonly emoji: string;
  readonly severity: string;
  readonly healthStatus: string;
  readonly emails: readonly string[];
}

export type ArgumentKind = keyof ArgumentOf;

function people(text: string): People | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > MAX_PEOPLE) return undefined;
  const usernames = words.filter((word) => word !== 'me').map((word) => trimTrailing(word.replace(/^@/, ''), '.'));
  return { usernames: [...new Set(usernames)], me: words.includes('me') };
}

/** `~a ~"b c"`, or names without tilde, quoted if they contain spaces. */
function labels(text: string): string[] | undefined {
  const withTilde = text.includes('~');
  const pattern = withTilde ? /~(?:"([^"]+)"|'([^']+)'|([^\s,~"']+))/g : /"([^"]+)"|'([^']+)'|([^\s,]+)/g;
  const names = [...text.matchAll(pattern)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
  return names.length === 0 ? undefined : [...new Set(names)].slice(0, MAX_ITEMS);
}

function milestone(text: string): string | undefined {
  const quoted = /^%?(?:"([^"]+)"|'([^']+)')$/.exec(text);
  const title = quoted ? (quoted[1] ?? quoted[2]) : text.replace(/^%(?!\d+$)/, '');
  return title || undefined;
}

function items(text: string): string[] | undefined {
  const words = [...new Set(text.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and'))];
  const look = /^(?:https?:\/\/\S+|[\w./-]*[#!&]\d+|\[[a-z_]+:\d+\])$/;
  return words.length > 0 && words.length <= MAX_ITEMS && words.every((word) => look.test(word)) ? words : undefined;
}

/** `[-]1h 30m [2026-01-31] [[timecategory:x]]`. */
function spending(text: string, today: Day): Spending | undefined {
  const category = /\[timecategory:([\w-]+)\]\s*$/.exec(text);
  const rest = category ? text.slice(0, category.index).trimEnd() : text;
  const dated = /(?<=\s)(\d{4}-\d{1,2}-\d{1,2})\s*$/.exec(rest);
  const seconds = parseDuration(dated ? rest.slice(0, dated.index).trimEnd() : rest);
  if (seconds === undefined || seconds === 0) return undefined;
  const day = dated?.[1] === undefined ? undefined : parseDay(dated[1], today);
  // An invalid or future date makes the whole command ineffective.
  if (dated && (day === undefined || day > today)) return undefined;
  return { seconds, ...(day && { day }), ...(category?.[1] && { category: category[1] }) };
}

const severities = ['critical', 'high', 'medium', 'low', 'unknown'];

/** `S1`, `1` or `critical`. */
function severity(text: string): string | undefined {
  const normalized = text.toLowerCase();
  const numbered = /^s?([1-4])$/.exec(normalized)?.[1];
  return numbered ? severities[Number(numbered) - 1] : severities.find((name) => name === normalized);
}

function healthStatus(text: string): string | undefined {
  const normalized = text.toLowerCase().replace(/[ -]/g, '_');
  return ['on_track', 'needs_attention', 'at_risk'].find((name) => name === normalized);
}

function emoji(text: string): string | undefined {
  const named = /^:([a-z0-9_+-]+):$/.exec(text)?.[1];
  return named === undefined ? emojiNameOfCharacter(text) : emojiName(named);
}

const grammars: { readonly [Kind in ArgumentKind]: (text: string, today: Day) => ArgumentOf[Kind] | undefined } = {
  none: () => true,
  text: (text) => text || undefined,
  maybeText: (text) => text,
  people,
  maybePeople: (text) => (text === '' ? null : people(text)),
  labels,
  maybeLabels: (text) => (text === '' ? null : labels(text)),
  milestone,
  items,
  item: (text) => {
    const [item, ...more] = items(text) ?? [];
    return more.length === 0 ? item : undefined;
  },
  day: parseDay,
  duration: parseDuration,
  spending,
  number: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  emoji,
  severity,
  healthStatus,
  emails: (text) => {
    const words = text.split(/[\s,]+/);
    return words.every((word) => /^[^\s@]+@[^\s@]+$/.test(word)) && words.length <= MAX_ITEMS ? words : undefined;
  },
};

/** Parses the argument of a command; undefined if it is invalid. */
export function parseArgument<Kind extends ArgumentKind>(
  kind: Kind,
  text: string,
  today: Day,
): ArgumentOf[Kind] | undefined {
  return grammars[kind](text.trim(), today);
}
