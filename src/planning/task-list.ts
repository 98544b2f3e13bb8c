import { NeedsWorkerThread, parseBlocks, readOnMainThread, type Token } from './markdown/public.ts';

export interface TaskCompletionStatus {
  readonly count: number;
  readonly completed_count: number;
}

/** A task list checkbox: `[ ]` is open, `[x]` done and `[~]` inapplicable, with its zero-based line number. */
export interface Task {
  readonly line: number;
  readonly text: string;
  readonly state: 'open' | 'done' | 'inapplicable';
}

const states: Readonly<Record<string, Task['state']>> = { ' ': 'open', x: 'done', X: 'done', '~': 'inapplicable' };

/** Parses the checkbox at the start of the content of a list item or table cell. */
function boxIn(content: string, inCell: boolean): { mark: string; text: string } | undefined {
  const box = inCell ? /^\[([ xX~])\]$/.exec(content) : /^\[([ xX~])\](?:[ \t]+|\n)(?=\S)/.exec(content);
  return box?.[1] === undefined
    ? undefined
    : { mark: box[1], text: content.slice(box[0].length).split('\n', 1)[0] ?? '' };
}

/** The source line of a token; cells have the line of their row. */
function lineOf(tokens: readonly Token[], index: number): number {
  for (let at = index; at >= 0; at -= 1) {
    const map = tokens[at]?.map;
    if (map) return map[0];
  }
  return 0;
}

function taskAt(tokens: readonly Token[], index: number): Task | undefined {
  const token = tokens[index];
  if (token?.type !== 'inline') return undefined;
  const inCell = tokens[index - 1]?.type === 'td_open';
  const startsItem = tokens[index - 1]?.type === 'paragraph_open' && tokens[index - 2]?.type === 'list_item_open';
  const box = inCell || startsItem ? boxIn(token.content, inCell) : undefined;
  const state = states[box?.mark ?? ''];
  return box && state ? { line: lineOf(tokens, index), text: box.text.trim(), state } : undefined;
}

/**
 * Longer or slower texts are scanned line by line: lists show the task status of many issues and must not parse a
 * hundred long texts.
 */
const maxParsedLength = 16_384;

/**
 * Matches the relevant lines: fences of code blocks, and list items with checkboxes. All others are skipped by the
 * regular expression engine.
 */
const tellingLines = /^(?: {0,3}(`{3,}|~{3,})|[ \t>]{0,100}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}\[([ xX~])\][ \t]+(\S.*))/gm;

/** Checkboxes of list items, outside of fenced code. */
function tasksInLines(text: string): Task[] {
  const tasks: Task[] = [];
  let fence = '';
  let line = 0;
  let counted = 0;
  for (const { index, 1: mark = '', 2: box = '', 3: content = '' } of text.matchAll(tellingLines)) {
    if (mark !== '') fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    const state = fence === '' ? states[box] : undefined;
    if (!state) continue;
    for (let end = text.indexOf('\n', counted); end >= 0 && end < index; end = text.indexOf('\n', counted)) {
      line += 1;
      counted = end + 1;
    }
    tasks.push({ line, text: content.trim(), state });
  }
  return tasks;
}

/** Checkboxes of a Markdown text as it would be rendered; those in code, comments and plain paragraphs do not count. */
export function tasksOf(text: string): Task[] {
  if (!/\[[ xX~]\]/.test(text)) return [];
  if (text.length > maxParsedLength) return tasksInLines(text);
  try {
    const tokens = readOnMainThread(() => parseBlocks(text));
    return tokens.flatMap((_, index) => taskAt(tokens, index) ?? []);
  } catch (error) {
    if (error instanceof NeedsWorkerThread) return tasksInLines(text);
    throw error;
  }
}

const itemBox = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){1,200}(?=\[[ xX~]\])/;
const cellBox = /(?<=(?:^|\|)[ \t]{0,100})\[[ xX~]\](?=[ \t]{0,100}(?:\||$))/g;

/** Offset of the checkbox of a task in its line; for table rows, of the n-th cell with one. */
function boxAt(line: string, among: number): number | undefined {
  const item = itemBox.exec(line);
  return item ? item[0].length : [...line.matchAll(cellBox)][among]?.index;
}

/** Returns the text with one checkbox toggled; undefined if there is no such checkbox, or it is inapplicable. */
export function withTask(text: string, index: number, done: boolean): string | undefined {
  const tasks = tasksOf(text);
  const task = tasks[index];
  if (!task || task.state === 'inapplicable') return undefined;
  const among = tasks.slice(0, index).filter(({ line }) => line === task.line).length;
  const rows = text.split('\n');
  const row = rows[task.line] ?? '';
  const at = boxAt(row, among);
  if (at === undefined) return undefined;
  rows[task.line] = `${row.slice(0, at)}[${done ? 'x' : ' '}]${row.slice(at + 3)}`;
  return rows.join('\n');
}

export function taskCompletionStatus(text: string | null): TaskCompletionStatus {
  const tasks = tasksOf(text ?? '').filter(({ state }) => state !== 'inapplicable');
  return { count: tasks.length, completed_count: tasks.filter(({ state }) => state === 'done').length };
}

/** `1 of 3 checklist items completed`; empty for a text without tasks. */
export function taskStatus({ count, completed_count }: TaskCompletionStatus): string {
  if (count === 0) return '';
  return `${completed_count} of ${count} checklist ${count === 1 ? 'item' : 'items'} completed`;
}
