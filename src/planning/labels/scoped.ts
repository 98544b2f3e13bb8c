/** The scope of a label, which is everything before the last `::` of its title; undefined if it has none. */
export function scopeOfTitle(title: string): string | undefined {
  const at = title.lastIndexOf('::');
  return at > 0 && at + 2 < title.length ? title.slice(0, at) : undefined;
}

/**
 * An item has one label of each scope, so that of `size::1` and `size::2` the one added last remains. Several that it
 * already has, which got their scope by renaming, are left alone until another is added.
 */
export function oneOfEachScope<Label extends { readonly id: number; readonly title: string }>(
  labels: readonly Label[],
  present: readonly number[],
): readonly Label[] {
  const added = labels.filter(({ id }) => !present.includes(id));
  const lastAdded = new Map(added.map((label) => [scopeOfTitle(label.title), label]));
  lastAdded.delete(undefined);
  return labels.filter((label) => (lastAdded.get(scopeOfTitle(label.title)) ?? label) === label);
}
