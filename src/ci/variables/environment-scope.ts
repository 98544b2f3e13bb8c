/**
 * Specificity of the match between an environment scope and an environment; null if the scope does not match. Only `*`
 * matches a job without an environment.
 */
export function scopeRank(scope: string, environment: string | null): number | null {
  if (scope === '*') return 0;
  if (environment === null) return null;
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope.includes('*') && matches(scope, environment) ? scope.replaceAll('*', '').length + 1 : null;
}

/** Wildcard match in linear time: taking the first position where each part fits never excludes a match. */
function matches(scope: string, name: string): boolean {
  const parts = scope.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

interface Scoped {
  readonly key: string;
  readonly environment_scope: string;
}

/** Picks, among the rows of one owner, the row with the most specific scope for each key. */
export function mostSpecific<T extends Scoped>(rows: readonly T[], environment: string | null): T[] {
  const bestByKey = new Map<string, { readonly row: T; readonly rank: number }>();
  for (const row of rows) {
    const rank = scopeRank(row.environment_scope, environment);
    const best = bestByKey.get(row.key);
    if (rank !== null && (best === undefined || rank > best.rank)) bestByKey.set(row.key, { row, rank });
  }
  return [...bestByKey.values()].map(({ row }) => row);
}
