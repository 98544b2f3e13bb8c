import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import type { PackageRuleRow } from '../tables.ts';
import { type PackageRuleEntity, type RuleLevel, ruleLevels } from './schema.ts';
import * as store from './store.ts';

const maxPatternLength = 255;
/** All rules of a project are read for every publication. */
const maxRules = 100;

/** Requested changes to a rule; absent fields stay unchanged. */
export interface RuleChange {
  readonly package_name_pattern?: string | undefined;
  readonly package_type?: string | undefined;
  readonly minimum_access_level_for_push?: RuleLevel | '' | undefined;
  readonly minimum_access_level_for_delete?: RuleLevel | '' | undefined;
}

type Rule = Pick<PackageRuleRow, 'pattern' | 'package_type' | 'push_level' | 'delete_level'>;

const levelOf = (word: RuleLevel | '' | undefined, before: number | null) =>
  word === undefined ? before : word === '' ? null : ruleLevels[word];

const levelName = (level: number | null): string | null =>
  Object.entries(ruleLevels).find(([, number]) => number === level)?.[0] ?? null;

function applyChange(before: Rule, change: RuleChange): Rule {
  const rule = {
    pattern: change.package_name_pattern ?? before.pattern,
    package_type: change.package_type ?? before.package_type,
    push_level: levelOf(change.minimum_access_level_for_push, before.push_level),
    delete_level: levelOf(change.minimum_access_level_for_delete, before.delete_level),
  };
  const problems = patternProblems(rule.pattern);
  if (rule.push_level === null && rule.delete_level === null) {
    problems.push('A rule must have at least a minimum access role for push or delete.');
  }
  if (problems.length > 0) throw new Unprocessable(problems);
  return rule;
}

function patternProblems(pattern: string): string[] {
  if (pattern === '') return ["Package name pattern can't be blank"];
  if (pattern.length > maxPatternLength) return ['Package name pattern is too long (maximum is 255 characters)'];
  if (/^[\w@.+*/:~-]+$/.test(pattern)) return [];
  return ['Package name pattern should be a valid package name with optional wildcard characters.'];
}

function rethrowDuplicate(error: unknown): never {
  if (uniqueViolation(error)) throw new Unprocessable(['Package name pattern has already been taken']);
  throw error;
}

export async function createRule({ db }: Services, { project }: ProjectSubject, sent: RuleChange) {
  const rule = applyChange({ pattern: '', package_type: '', push_level: null, delete_level: null }, sent);
  const now = Date.now();
  const row = await db
    .write(async (trx) => {
      // Serializes concurrent requests, so that the limit holds.
      await lockRow(trx, 'projects', project.id);
      if ((await store.rulesOf(trx, project.id)).length >= maxRules) {
        throw new Unprocessable(['Maximum number of protection rules have been reached.']);
      }
      return store.insertRule(trx, { project_id: project.id, ...rule, created_at: now, updated_at: now });
    })
    .catch(rethrowDuplicate);
  return presentRule(row);
}

async function requireRule({ db }: Services, { project }: ProjectSubject, id: number): Promise<PackageRuleRow> {
  const rule = await store.ruleById(db.read, project.id, id);
  if (!rule) throw new NotFound();
  return rule;
}

export async function changeRule(services: Services, subject: ProjectSubject, id: number, sent: RuleChange) {
  const before = await requireRule(services, subject, id);
  const rule = { ...applyChange(before, sent), updated_at: Date.now() };
  return presentRule(await services.db.write((trx) => store.updateRule(trx, before.id, rule)).catch(rethrowDuplicate));
}

export async function deleteRule(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const rule = await requireRule(services, subject, id);
  await services.db.write((trx) => store.deleteRule(trx, rule.id));
}

export async function listRules(
  { db }: Services,
  { project }: ProjectSubject,
  page: PageRequest,
): Promise<Page<PackageRuleEntity>> {
  const { rows, total } = await store.listRules(db.read, project.id, page);
  return new Page(rows.map(presentRule), total);
}

const presentRule = (row: PackageRuleRow): PackageRuleEntity => ({
  id: row.id,
  project_id: row.project_id,
  package_name_pattern: row.pattern,
  package_type: row.package_type,
  minimum_access_level_for_delete: levelName(row.delete_level),
  minimum_access_level_for_push: levelName(row.push_level),
});
