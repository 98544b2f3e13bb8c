/** The state of a pipeline, from those of its statuses, each with whether its failure counts; none for no statuses. */
export function pipelineStatus(
  statuses: readonly { readonly status: string; readonly allow_failure: number }[],
): string | undefined {
  const kinds = new Set(statuses.map(kindOf));
  const only = (...words: string[]) => kinds.isSubsetOf(new Set(words));
  const any = (...words: string[]) => words.some((word) => kinds.has(word));
  if (kinds.size === 0) return undefined;
  if (only('skipped', 'ignored')) return 'skipped';
  if (only('success', 'skipped', 'warn', 'ignored')) return 'success';
  if (only('created', 'warn', 'ignored')) return 'created';
  if (only('canceled', 'success', 'skipped', 'warn', 'ignored')) return 'canceled';
  if (only('pending', 'created', 'skipped', 'warn', 'ignored')) return 'pending';
  if (any('running', 'pending', 'created')) return 'running';
  return 'failed';
}

function kindOf({ status, allow_failure }: { readonly status: string; readonly allow_failure: number }): string {
  return allow_failure === 1 && (status === 'failed' || status === 'canceled') ? 'warn' : status;
}
