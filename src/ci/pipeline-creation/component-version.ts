/** The newest release matching a version like `~latest`, `1` or `1.2`; undefined when none matches. */
export function newestVersion(requested: string, tags: readonly string[]): string | undefined {
  const parts =
    requested === '~latest' ? [] : /^v?(\d+)(?:\.(\d+))?$/.exec(requested)?.slice(1).filter(Boolean).map(Number);
  if (!parts) return undefined;
  let best: { readonly tag: string; readonly numbers: readonly number[] } | undefined;
  for (const tag of tags) {
    // Pre-releases only match when given in full.
    const numbers = /^v?(\d+)\.(\d+)\.(\d+)(?:\+.*)?$/.exec(tag)?.slice(1).map(Number);
    if (!numbers || parts.some((part, at) => part !== numbers[at])) continue;
    if (!best || isNewer(numbers, best.numbers)) best = { tag, numbers };
  }
  return best?.tag;
}

function isNewer(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}
