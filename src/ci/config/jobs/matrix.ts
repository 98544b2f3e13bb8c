import type { EntryPath, Problems } from '../errors.ts';
import { Decimal, isList, isMapping, scalarText, type Value } from '../yaml/values.ts';

/** One mapping of a matrix: its variables in order, each with its values. */
export type MatrixRow = ReadonlyMap<string, readonly string[]>;

/** An instance of a parallel job, with its position and matrix variables. */
export interface Instance {
  readonly name: string;
  readonly index: number;
  readonly total: number;
  readonly variables: readonly (readonly [key: string, value: string])[];
}

export const maxInstances = 200;

export function readMatrix(value: Value | undefined, at: EntryPath, problems: Problems): MatrixRow[] {
  if (!isList(value) || value.length === 0) {
    problems.add(at, 'config should be an array of hashes');
    return [];
  }
  const rows = value.flatMap((row) => readRow(row, at, problems) ?? []);
  const total = rows.reduce((sum, row) => sum + combinations(row), 0);
  if (total > maxInstances) {
    problems.add(at, `config generates too many jobs (maximum is ${maxInstances})`);
    return [];
  }
  return rows;
}

function readRow(row: Value, at: EntryPath, problems: Problems): MatrixRow | null {
  if (!isMapping(row) || row.size === 0) {
    problems.add(at, 'config should be an array of hashes');
    return null;
  }
  const result = new Map<string, readonly string[]>();
  for (const [key, value] of row) {
    const values = (isList(value) ? value.flat(1) : [value]).map((one) => matrixText(one as Value));
    if (values.includes(undefined)) {
      problems.add([...at, 'variables'], 'config should be a hash of key value pairs, value can be an array');
      return null;
    }
    result.set(key, values as string[]);
  }
  return result;
}

/** The text of a value. As in GitLab, floats and booleans must be quoted: `3.10` would otherwise mean `3.1`. */
function matrixText(value: Value): string | undefined {
  const text = typeof value === 'boolean' ? undefined : scalarText(value);
  return value instanceof Decimal && !/^-?\d+$/.test(value.text) ? undefined : text;
}

function combinations(row: MatrixRow): number {
  return [...row.values()].reduce((product, values) => product * values.length, 1);
}

/** All combinations of values; the last variable varies fastest. A variable without values leaves none. */
function allCombinations(row: MatrixRow): (readonly (readonly [string, string])[])[] {
  // The size of a matrix is limited by its combinations, so an empty list must not come after many others.
  if (combinations(row) === 0) return [];
  let result: (readonly (readonly [string, string])[])[] = [[]];
  for (const [key, values] of row) {
    result = result.flatMap((before) => values.map((value) => [...before, [key, value] as const]));
  }
  return result;
}

export function matrixInstances(job: string, rows: readonly MatrixRow[]): Instance[] {
  const all = rows.flatMap(allCombinations);
  return all.map((variables, index) => ({
    name: instanceName(job, variables),
    index: index + 1,
    total: all.length,
    variables,
  }));
}

export function numberedInstances(job: string, total: number): Instance[] {
  return Array.from({ length: total }, (_, index) => ({
    name: `${job} ${index + 1}/${total}`,
    index: index + 1,
    total,
    variables: [],
  }));
}

function instanceName(job: string, variables: readonly (readonly [string, string])[]): string {
  return `${job}: [${variables.map(([, value]) => value).join(', ')}]`;
}

/**
 * The instance names selected by `needs:parallel:matrix`. `$[[ matrix.OS ]]` refers to the matrix of the job with the
 * needs.
 */
export function matrixNames(job: string, rows: readonly MatrixRow[], by: Instance): string[] {
  const matrixValues = new Map(by.variables);
  const substituted = (value: string) =>
    value.replace(/\$\[\[\s*matrix\.(\w+)\s*\]\]/g, (original, name: string) => matrixValues.get(name) ?? original);
  return rows.flatMap(allCombinations).map((variables) =>
    instanceName(
      job,
      variables.map(([key, value]) => [key, substituted(value)] as const),
    ),
  );
}
