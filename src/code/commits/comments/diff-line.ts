const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Whether a patch adds (`new`) or removes (`old`) the line of this number. */
export function changesLine(patch: string, line: number, type: 'new' | 'old'): boolean {
  let before = 0;
  let after = 0;
  for (const text of patch.split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      continue;
    }
    const added = text.startsWith('+');
    const removed = text.startsWith('-');
    if (added && type === 'new' && after === line) return true;
    if (removed && type === 'old' && before === line) return true;
    const shown = text.startsWith(' ') || text === '';
    if (added || shown) after++;
    if (removed || shown) before++;
  }
  return false;
}
