import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import type { ProtectionRuleRow } from '../tables.ts';
import { rulesOf } from './store.ts';

export type Change = 'push' | 'delete';

/** Evaluates protection rules for an actor, on top of role permissions. */
export interface Guard {
  protectsRepository(path: string, change: Change): boolean;
  protectsTag(name: string, change: Change): boolean;
  /** Whether any tag may be protected from the actor. */
  protectsAnyTag(change: Change): boolean;
}

/** Protection rules of a project for an actor. Administrators are exempt. */
export async function protectionGuard({ db }: Services, actor: Actor, subject: ProjectSubject): Promise<Guard> {
  if (isAdmin(actor)) return guard([], Role.admin);
  // Deploy tokens have no role; they push as Developers do.
  const level = actor.deploy ? Role.developer : subject.standing.level;
  return guard(await rulesOf(db.read, subject.project.id), level);
}

/** Protection rules for changes made by the server itself, such as cleanup: everything protected is kept. */
export async function guardOfServer({ db }: Services, projectId: number): Promise<Guard> {
  return guard(await rulesOf(db.read, projectId), Role.none);
}

function guard(rules: readonly ProtectionRuleRow[], level: number): Guard {
  const minimumLevel = (rule: ProtectionRuleRow, change: Change) =>
    (change === 'push' ? rule.push_level : rule.delete_level) ?? Role.none;
  const binding = (kind: ProtectionRuleRow['kind'], change: Change) =>
    rules.filter((rule) => rule.kind === kind && minimumLevel(rule, change) > level);
  const compiled = new Map<string, ReturnType<typeof compileUserRegex>>();
  const fits = (pattern: string, name: string) => {
    const known = compiled.get(pattern) ?? compileUserRegex(pattern);
    compiled.set(pattern, known);
    return known.matcher(name).find();
  };
  return {
    protectsRepository: (path, change) => {
      const plain = path.replace(/\/$/, '').toLowerCase();
      return binding('repository', change).some((rule) => matchesWildcard(rule.pattern.toLowerCase(), plain));
    },
    protectsTag: (name, change) => binding('tag', change).some((rule) => fits(rule.pattern, name)),
    protectsAnyTag: (change) => binding('tag', change).length > 0,
  };
}
