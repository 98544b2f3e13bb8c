import { hash } from 'node:crypto';

/** A line of a diff. */
export interface DiffLine {
  /** `spaces` is a removed and an added line that differ in whitespace only. */
  readonly kind: 'hunk' | 'add' | 'del' | 'same' | 'spaces' | 'note';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Parses the hunks of one file. */
export function readDiff(diff: string): DiffLine[] {
  let [before, after] = [0, 0];
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line): DiffLine => {
      const hunk = header.exec(line);
      if (hunk) {
        [before, after] = [Number(hunk[1]), Number(hunk[3])];
        return { kind: 'hunk', text: line };
      }
      const text = line.slice(1);
      if (line.startsWith('+')) return { kind: 'add', new: after++, text };
      if (line.startsWith('-')) return { kind: 'del', old: before++, text };
      if (line.startsWith('\\')) return { kind: 'note', text: line };
      return { kind: 'same', old: before++, new: after++, text };
    });
}

/** Returns the line codes, which links and notes use: path hash and the next line numbers of both sides. */
export function lineCodes(path: string, lines: readonly DiffLine[]): Map<DiffLine, string> {
  const file = hash('sha1', path);
  const codes = new Map<DiffLine, string>();
  let [before, after] = [1, 1];
  for (const line of lines) {
    const hunk = line.kind === 'hunk' ? header.exec(line.text) : null;
    if (hunk) [before, after] = [Number(hunk[1]), Number(hunk[3])];
    if (line.kind === 'hunk' || line.kind === 'note') continue;
    [before, after] = [line.old ?? before, line.new ?? after];
    codes.set(line, `${file}_${before}_${after}`);
    if (line.kind !== 'add') before += 1;
    if (line.kind !== 'del') after += 1;
  }
  return codes;
}

const around = 20;

/**
 * Expands a diff with the lines between its hunks, taken from the new file. If that would exceed `most` lines, expands
 * only a few lines around each hunk.
 */
export function withContext(lines: readonly DiffLine[], file: readonly string[], most: number): DiffLine[] {
  const whole = file.length <= most;
  const filled: DiffLine[] = [];
  let [before, after] = [1, 1];
  const fill = (until: number, isEnd: boolean) => {
    const gap = until - after;
    const isStart = filled.length === 0;
    for (let step = 0; step < gap; step += 1) {
      const isNear = (!isStart && step < around) || (!isEnd && step >= gap - around);
      if (!whole && !isNear) continue;
      filled.push({ kind: 'same', old: before + step, new: after + step, text: file[after + step - 1] ?? '' });
    }
  };
  for (const line of lines) {
    const hunk = line.kind === 'hunk' ? header.exec(line.text) : null;
    if (hunk) {
      // A side with zero lines has the number of the line before it.
      const first = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0);
      fill(first, false);
      [before, after] = [Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0), first];
      if (!whole) filled.push(line);
      continue;
    }
    filled.push(line);
    if (line.old !== undefined) before += 1;
    if (line.new !== undefined) after += 1;
  }
  fill(file.length + 1, true);
  return filled;
}

/** A row of the side-by-side view: two lines, a single one, or one that spans both sides. */
export type Pair = { readonly left?: DiffLine; readonly right?: DiffLine } | { readonly wide: DiffLine };

/** Pairs lines for the side-by-side view: removed lines next to the added ones that replace them. */
export function sideBySide(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [left, right] = [removed[at], added[at]];
      pairs.push({ ...(left && { left }), ...(right && { right }) });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'del') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'add') added.push(line);
    else if (line.kind === 'note') {
      // The note refers to the line above and must not separate removed from added lines.
      if (removed.length === 0 && added.length === 0) pairs.push({ wide: line });
    } else {
      flush();
      pairs.push(line.kind === 'hunk' ? { wide: line } : { left: line, right: line });
    }
  }
  flush();
  return pairs;
}
