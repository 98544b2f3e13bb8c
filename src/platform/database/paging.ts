/** The offset and size of a page. */
export interface Slice {
  readonly offset: number;
  readonly perPage: number;
}

/** Counting stops one row past this number; longer lists show no total. */
export const maxCountedRows = 10_000;

/** The total that a page implies if it is not full, so that short lists cost a single query. */
export function impliedTotal(rows: readonly unknown[], { offset, perPage }: Slice): number | undefined {
  return rows.length < perPage && (rows.length > 0 || offset === 0) ? offset + rows.length : undefined;
}
