import { hash } from 'node:crypto';

/** One line of a diff. */
export interface DiffLine {
  /** `spaces` is one that was removed and one that was added, alike but for their white space. */
  readonly kind: 'hunk' | 'add' | 'del' | 'same' | 'spaces' | 'note';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads the hunks of one file. */
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

/** The names of lines, by which links and comments know them: of the file, and of the numbers that come next on each side. */
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
 * Fills what a diff leaves out between its hunks with the lines of the file as it is after the change. Where the whole
 * would be longer than `most` lines, only some around each hunk come in.
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
      // A side of no lines is counted from the line before it.
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

/** Two lines that stand beside each other; one that has nothing beside it, or one over both sides. */
export type Pair = { readonly left?: DiffLine; readonly right?: DiffLine } | { readonly wide: DiffLine };

/** Lines as they stand side by side: what was removed beside what came instead. */
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
      // It speaks of the line above it, and must not part what was removed from what came instead.
      if (removed.length === 0 && added.length === 0) pairs.push({ wide: line });
    } else {
      flush();
      pairs.push(line.kind === 'hunk' ? { wide: line } : { left: line, right: line });
    }
  }
  flush();
  return pairs;
}
