/** More places than this are read as one. */
export const readApart = 32;

/**
 * A list of several places as those of each of them, which indexes have in every order: `place` makes the scope of one. One more
 * than are read apart may be passed, which tells that they are too many. The number of parts is a power of two, the last ones
 * being those of no place, so that few texts serve all lists.
 */
export function apart<P, S>(places: readonly P[], whole: S, place: (one: P | undefined) => S): readonly S[] {
  if (places.length > readApart) return [whole];
  const parts = 2 ** Math.ceil(Math.log2(Math.max(places.length, 1)));
  return Array.from({ length: parts }, (_, index) => place(places[index]));
}
