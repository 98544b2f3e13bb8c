import { durationSeconds } from '../duration.ts';
import { Entry, flatten, stringList } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { isExpression } from '../expressions/expression.ts';
import { type NeedEntry, readNeeds } from '../jobs/needs.ts';
import { maxNesting } from '../limits.ts';
import type { AutoCancel, PlannedVariable } from '../plan.ts';
import { plainVariableKeys, readVariables } from '../variables/variables.ts';
import { isList, isMapping, type Value } from '../yaml/values.ts';
import { readAutoCancel } from './workflow-auto-cancel.ts';

export type RuleWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed' | 'never';

export interface Rule {
  readonly if: string | null;
  readonly changes: { readonly paths: readonly string[]; readonly compareTo: string | null } | null;
  readonly exists: {
    readonly paths: readonly string[];
    readonly project: string | null;
    readonly ref: string | null;
  } | null;
  readonly when: RuleWhen | null;
  readonly startIn: number | null;
  readonly allowFailure: boolean | null;
  readonly variables: readonly PlannedVariable[];
  readonly needs: readonly NeedEntry[] | null;
  readonly interruptible: boolean | null;
  readonly autoCancel: Partial<AutoCancel>;
}

/** The context of rules determines the allowed keys. */
export type RulesOf = 'job' | 'bridge' | 'workflow' | 'include';

const conditionKeys = ['if', 'changes', 'exists', 'when'];
const keysOf: Readonly<Record<RulesOf, readonly string[]>> = {
  job: [...conditionKeys, 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible'],
  bridge: [...conditionKeys, 'allow_failure', 'variables', 'needs', 'interruptible'],
  // The last three have no effect there, but existing files use them.
  workflow: [...conditionKeys, 'variables', 'auto_cancel', 'start_in', 'allow_failure', 'needs'],
  include: conditionKeys,
};
const whens: Readonly<Record<RulesOf, readonly RuleWhen[]>> = {
  job: ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'],
  bridge: ['on_success', 'on_failure', 'always', 'never', 'manual'],
  workflow: ['always', 'never'],
  include: ['always', 'never'],
};
const maxPatterns = 50;
const week = 7 * 86_400;

/** Parses rules. Null when there are none: then everything is allowed. */
export function readRules(value: Value | undefined, of: RulesOf, at: EntryPath, problems: Problems): Rule[] | null {
  if (value === undefined || value === null) return null;
  const list = isList(value) ? flatten(value, maxNesting) : isMapping(value) && of === 'include' ? [value] : undefined;
  if (list === undefined) {
    problems.add(at, 'config should be an array containing hashes and arrays of hashes');
    return null;
  }
  if (list.length === 0) problems.add(at, "config can't be blank");
  return list.flatMap((one) => {
    const path = [...at, 'rule'];
    if (isMapping(one)) return [readRule(new Entry(one, path, problems), of)];
    problems.add(path, 'config should be a hash');
    return [];
  });
}

function readRule(rule: Entry, of: RulesOf): Rule {
  rule.allow(keysOf[of]);
  if (rule.keys().length === 0) rule.fault("config can't be blank");
  const when = rule.oneOf('when', whens[of]);
  const startIn = rule.get('start_in');
  if (when === 'delayed') {
    const seconds = typeof startIn === 'string' ? durationSeconds(startIn) : null;
    if (seconds === null) rule.fault('start in should be a duration');
    else if (seconds > week) rule.fault('start in should not exceed the limit of 1 week');
  } else if (startIn !== undefined && of !== 'workflow') rule.fault('start in must be blank');
  return {
    if: condition(rule),
    changes: changes(rule),
    exists: exists(rule),
    when,
    startIn: when === 'delayed' && typeof startIn === 'string' ? durationSeconds(startIn) : null,
    allowFailure: rule.boolean('allow_failure'),
    variables: readVariables(rule.get('variables'), rule.below('variables'), rule.problems, plainVariableKeys),
    needs:
      rule.has('needs') && of !== 'workflow'
        ? readNeeds(rule.get('needs') as Value, rule.below('needs'), rule.problems, 'rule')
        : null,
    interruptible: rule.boolean('interruptible'),
    autoCancel: of === 'workflow' ? readAutoCancel(rule.entry('auto_cancel')) : {},
  };
}

function condition(rule: Entry): string | null {
  const value = rule.get('if');
  if (value === undefined) return null;
  const text = typeof value === 'boolean' ? String(value) : value;
  if (typeof text === 'string' && isExpression(text)) return text;
  rule.fault('if invalid expression syntax');
  return null;
}

function changes(rule: Entry): Rule['changes'] {
  const value = rule.get('changes');
  if (value === undefined) return null;
  if (!isMapping(value)) return { paths: paths(value, rule, 'changes'), compareTo: null };
  const entry = new Entry(value, rule.below('changes'), rule.problems);
  entry.allow(['paths', 'compare_to']);
  entry.require('paths');
  return { paths: paths(entry.get('paths') ?? [], rule, 'changes'), compareTo: entry.string('compare_to') };
}

function exists(rule: Entry): Rule['exists'] {
  const value = rule.get('exists');
  if (value === undefined) return null;
  if (!isMapping(value)) return { paths: paths(value, rule, 'exists'), project: null, ref: null };
  const entry = new Entry(value, rule.below('exists'), rule.problems);
  entry.allow(['paths', 'project', 'ref']);
  entry.require('paths');
  if (entry.has('ref')) entry.require('project');
  const list = paths(entry.get('paths') ?? [], rule, 'exists');
  return { paths: list, project: entry.string('project'), ref: entry.string('ref') };
}

function paths(value: Value, rule: Entry, key: string): string[] {
  const flat = isList(value) ? flatten(value, maxNesting) : undefined;
  const list = typeof value === 'string' && key === 'exists' ? [value] : flat && stringList(flat);
  if (list === undefined) rule.problems.add(rule.below(key), 'config should be an array of strings');
  else if (list.length > maxPatterns) {
    rule.problems.add(rule.below(key), `config is too long (maximum is ${maxPatterns})`);
  }
  return list ?? [];
}
