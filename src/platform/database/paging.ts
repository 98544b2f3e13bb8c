/** Which rows of an ordered query. */
export interface Slice {
  readonly offset: number;
  readonly perPage: number;
}

/** Counting stops one row past this many: whoever shows totals then leaves them out. */
export const countedRows = 10_000;

/** How many rows a list has that one page shows by itself: one that is not full, so that short lists cost one query. */
export function totalShownBy(rows: readonly unknown[], { offset, perPage }: Slice): number | undefined {
  return rows.length < perPage && (rows.length > 0 || offset === 0) ? offset + rows.length : undefined;
}
