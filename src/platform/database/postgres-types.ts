import pg from 'pg';

const int8 = 20;
const numeric = 1700;

/** Returns sums and counts as numbers, as SQLite does. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric ? toNumber : pg.types.getTypeParser(oid, format ?? 'text'),
};

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${text} is too large to be a JavaScript number`);
  }
  return value;
}
