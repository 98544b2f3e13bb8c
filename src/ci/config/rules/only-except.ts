import type { RefFacts } from '../context.ts';
import { Entry, flatStrings, stringList } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { isExpression } from '../expressions/expression.ts';
import { patternLiteral, patternOf } from '../expressions/pattern.ts';
import { isList, isMapping, type Value } from '../yaml/values.ts';

/** An `only` or `except` policy: all parts of `only` must match, and no part of `except`. */
export interface Policy {
  readonly refs: readonly string[] | null;
  readonly variables: readonly string[] | null;
  readonly changes: readonly string[] | null;
  readonly kubernetes: boolean;
}

const notRefs = 'config should be an array of strings or regular expressions using re2 syntax';

export function readPolicy(value: Value | undefined, at: EntryPath, problems: Problems): Policy | null {
  if (value === undefined || value === null) return null;
  if (isList(value)) {
    const refs = flatStrings(value);
    if (refs === undefined) problems.add(at, notRefs);
    return { refs: validated(refs ?? [], at, problems), variables: null, changes: null, kubernetes: false };
  }
  if (!isMapping(value)) {
    problems.add(at, 'has to be either an array of conditions or a hash');
    return null;
  }
  const entry = new Entry(value, at, problems);
  entry.allow(['refs', 'kubernetes', 'variables', 'changes']);
  if (entry.keys().length === 0) entry.fault("config can't be blank");
  const refs = entry.strings('refs');
  const variables = entry.strings('variables');
  if (variables?.some((expression) => !isExpression(expression))) entry.fault('variables invalid expression syntax');
  const changes = entry.get('changes');
  const paths = changes === undefined ? null : (stringList(isList(changes) ? changes : []) ?? null);
  if (changes !== undefined && paths === null) entry.fault('changes should be an array of strings');
  const kubernetes = entry.oneOf('kubernetes', ['active'] as const);
  return { refs: refs && validated(refs, at, problems), variables, changes: paths, kubernetes: kubernetes !== null };
}

function validated(refs: readonly string[], at: EntryPath, problems: Problems): readonly string[] {
  const invalid = refs.some((ref) => ref.startsWith('/') && patternOf(withoutPath(ref)[0]) === undefined);
  if (invalid) problems.add(at, notRefs);
  return refs;
}

/** Splits `name@group/project`; an at sign inside a pattern belongs to the pattern. */
function withoutPath(ref: string): [string, string | null] {
  const split = ref.startsWith('/') ? ref.indexOf('@', ref.lastIndexOf('/')) : ref.indexOf('@');
  if (ref.startsWith('/') && patternLiteral(ref) !== undefined) return [ref, null];
  const slash = /^(\/.*\/[ismU]*)@([^@]+)$/s.exec(ref);
  if (slash !== null) return [slash[1] as string, slash[2] as string];
  return split < 0 ? [ref, null] : [ref.slice(0, split), ref.slice(split + 1)];
}

/** Whether one of the names, patterns and keywords matches the ref. */
export function refMatches(refs: readonly string[], facts: RefFacts): boolean {
  const source = facts.source.replace(/_event$/, '');
  const sources = [source, `${source}s`, source === 'push' ? 'pushes' : source];
  return refs.some((entry) => {
    const [ref, path] = withoutPath(entry);
    if (path !== null && path !== facts.projectPath) return false;
    if (ref === 'tags' && facts.kind === 'tag') return true;
    if (ref === 'branches' && facts.kind === 'branch') return true;
    if (sources.includes(ref)) return true;
    if (facts.kind === 'merge_request') return false;
    return ref.startsWith('/') ? (patternOf(ref)?.test(facts.name) ?? false) : ref === facts.name;
  });
}
