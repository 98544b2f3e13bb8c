import { Entry } from './entry.ts';
import type { At, Problems } from './errors.ts';
import { failureReasons } from './failure-reasons.ts';
import type { PlannedRetry } from './plan.ts';
import { isInteger, isMapping, type Value } from './values.ts';

const most = 2;
const never: PlannedRetry = { max: 0, when: ['always'], exitCodes: [] };

export function readRetry(value: Value | undefined, at: At, problems: Problems): PlannedRetry {
  if (value === undefined || value === null) return never;
  if (isInteger(value)) return { ...never, max: inRange(value, at, problems) };
  if (!isMapping(value)) {
    problems.add(at, 'has to be either an integer or a hash');
    return never;
  }
  const entry = new Entry(value, at, problems);
  entry.allow(['max', 'when', 'exit_codes']);
  const max = entry.get('max');
  if (max !== undefined && !isInteger(max)) entry.fault('max is not a number');
  const exitCodes = entry.integers('exit_codes') ?? [];
  const when = entry.stringOrStrings('when');
  const unknown = when?.filter((reason) => reason !== 'always' && !failureReasons.includes(reason)) ?? [];
  if (unknown.length > 0) entry.fault(`when contains unknown values: ${unknown.join(', ')}`);
  return {
    max: isInteger(max) ? inRange(max, at, problems) : 0,
    when: when ?? (entry.has('exit_codes') ? [] : ['always']),
    exitCodes,
  };
}

function inRange(max: number, at: At, problems: Problems): number {
  if (max < 0) problems.add(at, 'config must be greater than or equal to 0');
  if (max > most) problems.add(at, `config must be less than or equal to ${most}`);
  return Math.min(Math.max(max, 0), most);
}
