import { Entry } from './entry.ts';
import type { Problems } from './errors.ts';
import type { AutoCancel } from './plan.ts';
import { type Rule, readRules } from './rules.ts';
import { isMapping, type Value } from './values.ts';
import { readAutoCancel } from './workflow-auto-cancel.ts';

export interface Workflow {
  readonly name: string | null;
  readonly rules: readonly Rule[] | null;
  readonly autoCancel: Partial<AutoCancel>;
}

const none: Workflow = { name: null, rules: null, autoCancel: {} };

export function readWorkflow(value: Value | undefined, problems: Problems): Workflow {
  if (value === undefined || value === null) return none;
  if (!isMapping(value)) {
    problems.add(['workflow'], 'config should be a hash');
    return none;
  }
  const entry = new Entry(value, ['workflow'], problems);
  entry.allow(['rules', 'name', 'auto_cancel']);
  const name = entry.string('name', 255);
  if (name?.trim() === '') entry.problems.add(entry.below('name'), 'config is too short (minimum is 1 character)');
  return {
    name,
    rules: readRules(entry.get('rules'), 'workflow', entry.below('rules'), problems),
    autoCancel: readAutoCancel(entry.entry('auto_cancel')),
  };
}
