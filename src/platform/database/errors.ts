/** A schema constraint that a statement violated. */
export interface Violation {
  readonly rule: 'unique' | 'foreign key' | 'check' | 'not null';
  /** Absent for foreign keys and checks of SQLite, which does not report it. */
  readonly table?: string;
  /** Set for unique and not-null constraints; empty for a unique index over expressions. */
  readonly columns: readonly string[];
  /** The name of a check, or of a unique index over expressions, on both engines. */
  readonly constraint?: string;
}

type Details = Error & { [K in 'code' | 'errcode' | 'detail' | 'table' | 'column' | 'constraint']?: unknown };

/** The constraint violation that an error reports; undefined for other errors. */
export function violation(error: unknown): Violation | undefined {
  if (!(error instanceof Error)) return undefined;
  const details: Details = error;
  return details.code === 'ERR_SQLITE_ERROR' ? sqliteViolation(details, error.message) : postgresViolation(details);
}

/** The unique violation that an error reports, if any; with `columns`, only one over exactly these columns. */
export function uniqueViolation(error: unknown, columns?: readonly string[]): Violation | undefined {
  const found = violation(error);
  if (found?.rule !== 'unique') return undefined;
  return !columns || sameSet(columns, found.columns) ? found : undefined;
}

/** A foreign key violation: the referenced row does not exist, or the deleted row is still referenced. */
export function foreignKeyViolation(error: unknown): Violation | undefined {
  const found = violation(error);
  return found?.rule === 'foreign key' ? found : undefined;
}

const sqliteRules = new Map<unknown, Violation['rule']>([
  [2067, 'unique'],
  [1555, 'unique'],
  [2579, 'unique'],
  [787, 'foreign key'],
  [275, 'check'],
  [1299, 'not null'],
]);

function sqliteViolation({ errcode }: Details, message: string): Violation | undefined {
  const rule = sqliteRules.get(errcode);
  if (!rule) return undefined;
  // "UNIQUE constraint failed: labels.project_id, labels.title", or "... failed: index 'labels_by_title'".
  const subject = message.slice(message.indexOf(': ') + 2);
  if (rule === 'foreign key') return { rule, columns: [] };
  if (rule === 'check') return { rule, columns: [], constraint: subject };
  const index = /^index '(.*)'$/.exec(subject)?.[1];
  if (index) return { rule, columns: [], constraint: index };
  const columns = subject.split(', ');
  return { rule, table: columns[0]?.split('.')[0], columns: columns.map((name) => name.slice(name.indexOf('.') + 1)) };
}

const postgresRules = new Map<unknown, Violation['rule']>([
  ['23505', 'unique'],
  ['23503', 'foreign key'],
  ['23514', 'check'],
  ['23502', 'not null'],
]);

function postgresViolation({ code, detail, table, column, constraint }: Details): Violation | undefined {
  const rule = postgresRules.get(code);
  if (!rule) return undefined;
  const named = { rule, table: text(table), constraint: text(constraint) };
  if (rule === 'not null') return { ...named, columns: typeof column === 'string' ? [column] : [] };
  return { ...named, columns: rule === 'unique' ? keyColumns(text(detail) ?? '') : [] };
}

/** Parses "Key (project_id, title)=(1, bug) already exists.", in any server language. */
function keyColumns(detail: string): string[] {
  const end = detail.indexOf(')=(');
  const key = end < 0 ? '' : detail.slice(detail.indexOf('(') + 1, end);
  return key === '' || key.includes('(') ? [] : key.split(', ').map((name) => name.replaceAll('"', ''));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
