/** How closely a scope names an environment; null where it does not apply. `*` applies to jobs without one too. */
export function scopeRank(scope: string, environment: string | null): number | null {
  if (scope === '*') return 0;
  if (environment === null) return null;
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope.includes('*') && matches(scope, environment) ? scope.replaceAll('*', '').length + 1 : null;
}

/** In time linear in both: the first place where each part fits is as good as any later one. */
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

/** Of rows of one owner, the one of each key that names the environment most closely. */
export function closest<T extends Scoped>(rows: readonly T[], environment: string | null): T[] {
  const found = new Map<string, { readonly row: T; readonly rank: number }>();
  for (const row of rows) {
    const rank = scopeRank(row.environment_scope, environment);
    const known = found.get(row.key);
    if (rank !== null && (known === undefined || rank > known.rank)) found.set(row.key, { row, rank });
  }
  return [...found.values()].map(({ row }) => row);
}
