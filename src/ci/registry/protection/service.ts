import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import type { ProtectionRuleRow } from '../tables.ts';
import { type RepositoryRuleEntity, type RuleLevel, ruleLevels, type TagRuleEntity } from './schema.ts';
import * as store from './store.ts';

const maxTagRules = 5;
const maxPathLength = 255;
const maxTagPatternLength = 100;

/** Requested changes to a rule; absent fields stay unchanged. */
export interface RuleChange {
  readonly pattern?: string | undefined;
  readonly push?: RuleLevel | '' | undefined;
  readonly delete?: RuleLevel | '' | undefined;
}

type Rule = Pick<ProtectionRuleRow, 'pattern' | 'push_level' | 'delete_level'>;

const levelOf = (word: RuleLevel | '' | undefined, before: number | null) =>
  word === undefined ? before : word === '' ? null : ruleLevels[word];

const levelName = (level: number | null): string | null =>
  Object.entries(ruleLevels).find(([, number]) => number === level)?.[0] ?? null;

function applyChange(before: Rule, change: RuleChange): Rule {
  return {
    pattern: change.pattern ?? before.pattern,
    push_level: levelOf(change.push, before.push_level),
    delete_level: levelOf(change.delete, before.delete_level),
  };
}

function checkRule({ fullPath }: ProjectSubject, kind: store.RuleKind, rule: Rule): void {
  const { pattern, push_level, delete_level } = rule;
  const problems = kind === 'tag' ? tagProblems(pattern) : pathProblems(pattern, fullPath);
  if (push_level === null && delete_level === null) {
    problems.push('A rule must have at least a minimum access role for push or delete.');
  }
  if (kind === 'tag' && (push_level === null) !== (delete_level === null)) {
    problems.push('Access levels must be set for both push and delete.');
  }
  if (problems.length > 0) throw new Unprocessable(problems);
}

function tagProblems(pattern: string): string[] {
  if (pattern === '') return ["Tag name pattern can't be blank"];
  if (pattern.length > maxTagPatternLength) return ['Tag name pattern is too long (maximum is 100 characters)'];
  const problem = userRegexProblem(pattern);
  return problem === undefined ? [] : [`Tag name pattern ${problem}`];
}

function pathProblems(pattern: string, fullPath: string): string[] {
  if (pattern === '') return ["Repository path pattern can't be blank"];
  if (pattern.length > maxPathLength) return ['Repository path pattern is too long (maximum is 255 characters)'];
  if (!/^[A-Za-z0-9_.*/-]+$/.test(pattern)) {
    return ['Repository path pattern should be a valid container repository path with optional wildcard characters.'];
  }
  const own = pattern.toLowerCase().startsWith(fullPath.toLowerCase());
  return own ? [] : ["Repository path pattern should start with the project's full path"];
}

function rethrowDuplicate(error: unknown): never {
  if (uniqueViolation(error)) throw new Unprocessable(['The pattern has already been taken']);
  throw error;
}

export async function createRule(
  services: Services,
  subject: ProjectSubject,
  kind: store.RuleKind,
  change: RuleChange,
) {
  const rule = applyChange({ pattern: '', push_level: null, delete_level: null }, change);
  checkRule(subject, kind, rule);
  const now = Date.now();
  const row = { project_id: subject.project.id, kind, ...rule, created_at: now, updated_at: now };
  return services.db
    .write(async (trx) => {
      // Serializes concurrent requests, so that the limit holds.
      await lockRow(trx, 'projects', subject.project.id);
      const rules = (await store.rulesOf(trx, subject.project.id)).filter((one) => one.kind === kind);
      if (kind === 'tag' && rules.length >= maxTagRules) {
        throw new Unprocessable([`Maximum number of protection rules have been reached.`]);
      }
      return store.insertRule(trx, row);
    })
    .catch(rethrowDuplicate);
}

async function requireRule({ db }: Services, { project }: ProjectSubject, kind: store.RuleKind, id: number) {
  const rule = await store.ruleById(db.read, project.id, kind, id);
  if (!rule) throw new NotFound();
  return rule;
}

export async function changeRule(
  services: Services,
  subject: ProjectSubject,
  kind: store.RuleKind,
  id: number,
  change: RuleChange,
): Promise<ProtectionRuleRow> {
  const before = await requireRule(services, subject, kind, id);
  const rule = applyChange(before, change);
  checkRule(subject, kind, rule);
  return services.db
    .write((trx) => store.updateRule(trx, before.id, { ...rule, updated_at: Date.now() }))
    .catch(rethrowDuplicate);
}

export async function deleteRule(services: Services, subject: ProjectSubject, kind: store.RuleKind, id: number) {
  const rule = await requireRule(services, subject, kind, id);
  await services.db.write((trx) => store.deleteRule(trx, rule.id));
}

const fieldsOf = (row: ProtectionRuleRow) => ({
  id: row.id,
  project_id: row.project_id,
  minimum_access_level_for_push: levelName(row.push_level),
  minimum_access_level_for_delete: levelName(row.delete_level),
});

export const presentRepositoryRule = (row: ProtectionRuleRow): RepositoryRuleEntity => ({
  ...fieldsOf(row),
  repository_path_pattern: row.pattern,
});

export const presentTagRule = (row: ProtectionRuleRow): TagRuleEntity => ({
  ...fieldsOf(row),
  tag_name_pattern: row.pattern,
});

export async function listRules<T>(
  { db }: Services,
  { project }: ProjectSubject,
  kind: store.RuleKind,
  page: PageRequest,
  present: (row: ProtectionRuleRow) => T,
): Promise<Page<T>> {
  const { rows, total } = await store.listRules(db.read, project.id, kind, page);
  return new Page(rows.map(present), total);
}
