import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import type { ProtectionRuleRow } from '../tables.ts';
import { rulesOf } from './store.ts';

export type Change = 'push' | 'delete';

/** What the rules of a project keep somebody from changing, whatever their role allows. */
export interface Guard {
  keepsRepository(path: string, change: Change): boolean;
  keepsTag(name: string, change: Change): boolean;
  /** Whether any tag could be kept from them. */
  keepsTags(change: Change): boolean;
}

/** The rules of a project as they meet somebody; administrators are above them. */
export async function guardOf({ db }: Services, actor: Actor, subject: ProjectSubject): Promise<Guard> {
  if (isAdmin(actor)) return guard([], Role.admin);
  // A deploy token has no role; it pushes as a Developer would.
  const level = actor.deploy ? Role.developer : subject.standing.level;
  return guard(await rulesOf(db.read, subject.project.id), level);
}

/** The rules of a project for what the server does by itself: whatever is protected stays. */
export async function guardOfServer({ db }: Services, projectId: number): Promise<Guard> {
  return guard(await rulesOf(db.read, projectId), Role.none);
}

function guard(rules: readonly ProtectionRuleRow[], level: number): Guard {
  const least = (rule: ProtectionRuleRow, change: Change) =>
    (change === 'push' ? rule.push_level : rule.delete_level) ?? Role.none;
  const binding = (kind: ProtectionRuleRow['kind'], change: Change) =>
    rules.filter((rule) => rule.kind === kind && least(rule, change) > level);
  const compiled = new Map<string, ReturnType<typeof compileUserRegex>>();
  const fits = (pattern: string, name: string) => {
    const known = compiled.get(pattern) ?? compileUserRegex(pattern);
    compiled.set(pattern, known);
    return known.matcher(name).find();
  };
  return {
    keepsRepository: (path, change) => {
      const plain = path.replace(/\/$/, '').toLowerCase();
      return binding('repository', change).some((rule) => matchesWildcard(rule.pattern.toLowerCase(), plain));
    },
    keepsTag: (name, change) => binding('tag', change).some((rule) => fits(rule.pattern, name)),
    keepsTags: (change) => binding('tag', change).length > 0,
  };
}
