import type { FilesAt, RepositoryFacts } from '../context.ts';
import { ConfigFault } from '../errors.ts';
import { evaluateExpression, type VariableLookup } from '../expressions/expression.ts';
import { compileGlob, hasWildcard } from '../expressions/glob.ts';
import type { Pattern } from '../expressions/pattern.ts';
import { EvaluationBudget } from '../limits.ts';
import { expandKnown } from '../variables/variable-expansion.ts';
import type { Rule } from './rules.ts';

const maxPairs = 50_000;
/** Beyond this number even a single pattern exceeds the limit, so no more paths are listed. */
const maxPaths = maxPairs + 1;
/**
 * Maximum number of path-pattern comparisons per compilation. Beyond it, as beyond `maxPairs`, everything counts as
 * changed.
 */
const maxTotalPairs = 5_000_000;

/** Variables of rules: expressions see values as they are written, paths and refs with their references expanded. */
export interface RuleVariables {
  readonly raw: VariableLookup;
  expanded(): VariableLookup;
}

/** Evaluates rules; queries the repository once per question, regardless of the number of rules. */
export class RuleMatcher {
  private readonly repository: RepositoryFacts;
  private readonly answers = new Map<string, Promise<boolean>>();
  private readonly changes: Map<string, ReturnType<RepositoryFacts['changedPaths']>> = new Map();
  private readonly lists: Map<string, ReturnType<RepositoryFacts['listFiles']>> = new Map();
  private readonly globs = new Map<string, Pattern | undefined>();
  private pairs = 0;
  private readonly effort = new EvaluationBudget();

  constructor(repository: RepositoryFacts) {
    this.repository = repository;
  }

  /** The first matching rule, or undefined. */
  async first<T extends Pick<Rule, 'if' | 'changes' | 'exists'>>(
    rules: readonly T[],
    variables: RuleVariables,
    at: FilesAt | null,
  ): Promise<T | undefined> {
    for (const rule of rules) if (await this.matches(rule, variables, at)) return rule;
    return undefined;
  }

  private async matches(
    rule: Pick<Rule, 'if' | 'changes' | 'exists'>,
    variables: RuleVariables,
    at: FilesAt | null,
  ): Promise<boolean> {
    if (rule.if !== null && !evaluateExpression(rule.if, variables.raw, this.effort)) return false;
    if (rule.changes === null && rule.exists === null) return true;
    const values = variables.expanded();
    const expanded = (paths: readonly string[]) => paths.map((path) => expandKnown(path, values));
    if (rule.changes !== null) {
      const compareTo = rule.changes.compareTo === null ? null : expandKnown(rule.changes.compareTo, values);
      if (!(await this.changed(expanded(rule.changes.paths), compareTo))) return false;
    }
    if (rule.exists === null) return true;
    const { project, ref } = rule.exists;
    const expandText = (text: string | null) => (text === null ? null : expandKnown(text, values));
    const where = project === null ? at : { project: expandText(project), ref: expandText(ref) };
    return this.exists(expanded(rule.exists.paths), where);
  }

  /** Evaluates an `only:variables` expression, with the same cost limit. */
  holds(expression: string, variables: VariableLookup): boolean {
    return evaluateExpression(expression, variables, this.effort);
  }

  changed(patterns: readonly string[], compareTo: string | null): Promise<boolean> {
    return cached(this.answers, JSON.stringify(['changes', compareTo, patterns]), async () => {
      const paths = await this.changedPaths(compareTo);
      if (paths === 'unknown_ref') throw new ConfigFault('rules:changes:compare_to is not a valid ref');
      return paths === 'no_base' || this.anyMatch(patterns, paths);
    });
  }

  private exists(patterns: readonly string[], at: FilesAt | null): Promise<boolean> {
    return cached(this.answers, JSON.stringify(['exists', at, patterns]), async () => {
      const invalidRef = () => new ConfigFault('rules:exists:project is not a valid project or ref');
      const literal = patterns.filter((pattern) => !hasWildcard(pattern));
      if (literal.length > 0) {
        const found = await this.repository.anyFile(at, literal);
        if (found === 'unknown_ref') throw invalidRef();
        if (found) return true;
      }
      const wild = patterns.filter(hasWildcard);
      if (wild.length === 0) return false;
      const paths = await this.files(at);
      if (paths === 'unknown_ref') throw invalidRef();
      return this.anyMatch(wild, paths);
    });
  }

  private anyMatch(patterns: readonly string[], paths: readonly string[]): boolean {
    const pairs = patterns.length * paths.length;
    this.pairs += pairs;
    if (pairs > maxPairs || this.pairs > maxTotalPairs) return true;
    return patterns.some((pattern) => {
      const glob = this.glob(pattern);
      return glob !== undefined && paths.some((path) => glob.test(path));
    });
  }

  private changedPaths(compareTo: string | null): ReturnType<RepositoryFacts['changedPaths']> {
    return cached(this.changes, compareTo ?? '', () => this.repository.changedPaths(compareTo, maxPaths));
  }

  private files(at: FilesAt | null): ReturnType<RepositoryFacts['listFiles']> {
    return cached(this.lists, JSON.stringify(at), () => this.repository.listFiles(at, maxPaths));
  }

  private glob(pattern: string): Pattern | undefined {
    if (!this.globs.has(pattern)) this.globs.set(pattern, compileGlob(pattern));
    return this.globs.get(pattern);
  }
}

/** Returns the cached answer to a question, or asks it. */
function cached<T>(cache: Map<string, Promise<T>>, question: string, ask: () => Promise<T>): Promise<T> {
  const previous = cache.get(question);
  if (previous !== undefined) return previous;
  const answer = ask();
  cache.set(question, answer);
  return answer;
}
