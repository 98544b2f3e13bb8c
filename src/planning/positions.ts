/**
 * Gap between the positions of manually ordered items: allows about 20 insertions between two items before all have to
 * be renumbered.
 */
export const positionGap = 1 << 20;

/** Position between two others, either of which may be missing; undefined if there is no gap between them. */
export function positionBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined && after === undefined) return positionGap;
  if (before === undefined) return (after as number) - positionGap;
  if (after === undefined) return before + positionGap;
  const middle = Math.floor((before + after) / 2);
  return middle > before && middle < after ? middle : undefined;
}
