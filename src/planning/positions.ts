/** How far apart things are put that are ordered by hand: so often something fits between two before all are numbered anew. */
export const positionGap = 1 << 20;

/** A place between two others, either of which may be missing; undefined where nothing fits between them. */
export function positionBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined && after === undefined) return positionGap;
  if (before === undefined) return (after as number) - positionGap;
  if (after === undefined) return before + positionGap;
  const middle = Math.floor((before + after) / 2);
  return middle > before && middle < after ? middle : undefined;
}
