import type { Services } from '../../access/services.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import { formattedDuration, type TimeEvent } from '../time-tracking/public.ts';

/** `a`, `a and b`, `a, b, and c`. */
export function listed(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}

const mentioned = (usernames: readonly string[]) => listed(usernames.map((name) => `@${name}`));

/** The range in which two titles differ: between their common prefix and common suffix. */
function changedRun(before: string, after: string): { start: number; end: number } {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, end };
}

function marked(text: string, { start, end }: { start: number; end: number }, kind: 'deletion' | 'addition'): string {
  const run = text.slice(start, text.length - end);
  const inner = run === '' ? '' : `<span class="idiff left right ${kind}">${escapeHtml(run)}</span>`;
  return `${escapeHtml(text.slice(0, start))}${inner}${escapeHtml(text.slice(text.length - end))}`;
}

export function titleChanged(before: string, after: string): string {
  const run = changedRun(before, after);
  const code = (text: string) => `<code class="idiff">${text}</code>`;
  return `<p>changed title from ${code(marked(before, run, 'deletion'))} to ${code(marked(after, run, 'addition'))}</p>`;
}

export const descriptionChanged = 'changed the description';

function bothWays(first: string, added: readonly string[], second: string, removed: readonly string[]): string {
  const parts: string[] = [];
  if (added.length > 0) parts.push(`${first} ${mentioned(added)}`);
  if (removed.length > 0) parts.push(`${second} ${mentioned(removed)}`);
  return parts.join(' and ');
}

/** Names of the users that were assigned and unassigned. */
export function assigneesChanged(added: readonly string[], removed: readonly string[]): string {
  return bothWays('assigned to', added, 'unassigned', removed);
}

export function reviewersChanged(added: readonly string[], removed: readonly string[]): string {
  return bothWays('requested review from', added, 'removed review request for', removed);
}

export function confidentialChanged(confidential: boolean, what = 'issue'): string {
  return confidential ? `made the ${what} confidential` : `made the ${what} visible to everyone`;
}

export function lockChanged(locked: boolean, what = 'issue'): string {
  return locked ? `locked the discussion in this ${what}` : `unlocked the discussion in this ${what}`;
}

export function typeChanged(before: string, after: string): string {
  return `changed type from ${before.replace('_', ' ')} to ${after.replace('_', ' ')}`;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `2025-01-31` as `January 31, 2025`. */
function withReadableErrors(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${months[Number(month) - 1] ?? month} ${day}, ${year}`;
}

function dateChanged(what: string, before: string | null, after: string | null): string[] {
  if (before === after) return [];
  return [
    after === null
      ? `removed ${what} date ${withReadableErrors(before ?? '')}`
      : `changed ${what} date to ${withReadableErrors(after)}`,
  ];
}

interface Dates {
  readonly start_date: string | null;
  readonly due_date: string | null;
}

/** Undefined if neither date changed. */
export function datesChanged(before: Dates, after: Dates): string | undefined {
  const parts = [
    ...dateChanged('start', before.start_date, after.start_date),
    ...dateChanged('due', before.due_date, after.due_date),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function estimateChanged(services: Services, before: number, after: number): string {
  const [old, now] = [formattedDuration(services, before), formattedDuration(services, after)];
  if (now === null) return `removed time estimate of ${old}`;
  return old === null ? `added time estimate of ${now}` : `changed time estimate to ${now} from ${old}`;
}

/** GitLab shows the author's local time; the server only knows UTC. */
function timeSpent(services: Services, seconds: number, at: number): string {
  const moment = `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const amount = formattedDuration(services, Math.abs(seconds));
  return `${seconds < 0 ? 'subtracted' : 'added'} ${amount} of time spent at ${moment}`;
}

export function timesChanged(services: Services, event: TimeEvent): string {
  if (event.kind === 'estimated') return estimateChanged(services, event.before, event.after);
  return event.kind === 'spent' ? timeSpent(services, event.seconds, event.at) : 'removed time spent';
}

/** One note per toggled checkbox. */
export function taskChanged(text: string, completed: boolean): string {
  return `marked the checklist item **${text}** as ${completed ? 'completed' : 'incomplete'}`;
}
