/** Above this number of places the list is read with a single query. */
export const maxSplitScopes = 32;

/**
 * Splits a list over several places into one scope per place, because an index can return each place in every order.
 * `place` builds the scope of one place. Callers may pass one place more than the limit to indicate that there are too
 * many. The number of scopes is rounded up to a power of two, and the surplus scopes match no place, so that a few
 * prepared statements serve all lists.
 */
export function splitScopes<P, S>(places: readonly P[], whole: S, place: (one: P | undefined) => S): readonly S[] {
  if (places.length > maxSplitScopes) return [whole];
  const parts = 2 ** Math.ceil(Math.log2(Math.max(places.length, 1)));
  return Array.from({ length: parts }, (_, index) => place(places[index]));
}
