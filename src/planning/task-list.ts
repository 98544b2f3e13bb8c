import { BetterElsewhere, parseBlocks, readQuickly, type Token } from './markdown/public.ts';

export interface TaskCompletionStatus {
  readonly count: number;
  readonly completed_count: number;
}

/** One box of a text: `[ ]` is to do, `[x]` done and `[~]` neither, with the line it stands in, counted from zero. */
export interface Task {
  readonly line: number;
  readonly text: string;
  readonly state: 'open' | 'done' | 'inapplicable';
}

const states: Readonly<Record<string, Task['state']>> = { ' ': 'open', x: 'done', X: 'done', '~': 'inapplicable' };

/** The box that what stands in a list item or a table cell begins with. */
function boxIn(content: string, inCell: boolean): { mark: string; text: string } | undefined {
  const box = inCell ? /^\[([ xX~])\]$/.exec(content) : /^\[([ xX~])\](?:[ \t]+|\n)(?=\S)/.exec(content);
  return box?.[1] === undefined
    ? undefined
    : { mark: box[1], text: content.slice(box[0].length).split('\n', 1)[0] ?? '' };
}

/** The line that something begins in; cells have none of their own, but that of their row. */
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
 * What is longer, or takes longer, is read line by line: lists show how far many issues are, and must not parse a hundred
 * long texts.
 */
const longest = 16_384;

/** The lines of a text that tell: where code begins or ends, and boxes of items of lists. All others are passed over at once. */
const tellingLines = /^(?: {0,3}(`{3,}|~{3,})|[ \t>]{0,100}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}\[([ xX~])\][ \t]+(\S.*))/gm;

/** The boxes of items of lists, outside of fenced code. */
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

/** The boxes of a Markdown text, as it would be rendered: those in code, comments and plain paragraphs are none. */
export function tasksOf(text: string): Task[] {
  if (!/\[[ xX~]\]/.test(text)) return [];
  if (text.length > longest) return tasksInLines(text);
  try {
    const tokens = readQuickly(() => parseBlocks(text));
    return tokens.flatMap((_, index) => taskAt(tokens, index) ?? []);
  } catch (error) {
    if (error instanceof BetterElsewhere) return tasksInLines(text);
    throw error;
  }
}

const itemBox = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){1,200}(?=\[[ xX~]\])/;
const cellBox = /(?<=(?:^|\|)[ \t]{0,100})\[[ xX~]\](?=[ \t]{0,100}(?:\||$))/g;

/** Where the box of a task stands in its line; of several cells with one, that of the cell. */
function boxAt(line: string, among: number): number | undefined {
  const item = itemBox.exec(line);
  return item ? item[0].length : [...line.matchAll(cellBox)][among]?.index;
}

/** The text with one of its boxes ticked, or no longer: undefined where it has no such box, or one that neither is. */
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

/** `1 of 3 checklist items completed`, and nothing for a text without boxes. */
export function taskStatus({ count, completed_count }: TaskCompletionStatus): string {
  if (count === 0) return '';
  return `${completed_count} of ${count} checklist ${count === 1 ? 'item' : 'items'} completed`;
}
