import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import type { PackageRow, PackageRuleRow } from '../tables.ts';
import { rulesOf } from './store.ts';

/** Refuses what the rules of a project keep somebody from; administrators are above them, deploy tokens below all. */
export async function requireUnprotected(
  { db }: Services,
  actor: Actor,
  { project, standing }: ProjectSubject,
  { name, package_type }: Pick<PackageRow, 'name' | 'package_type'>,
  change: 'push' | 'delete',
): Promise<void> {
  if (isAdmin(actor)) return;
  const level = actor.deploy ? Role.none : standing.level;
  const kept = (await rulesOf(db.read, project.id)).some((rule) => {
    const least = (change === 'push' ? rule.push_level : rule.delete_level) ?? Role.none;
    return rule.package_type === package_type && least > level && isNamed(rule, name);
  });
  if (kept) throw new Forbidden(change === 'push' ? 'Package protected.' : 'Package is deletion protected.');
}

/** Whether a rule is about a name; of NuGet all spellings of a name are one. */
function isNamed({ package_type, pattern }: PackageRuleRow, name: string): boolean {
  return package_type === 'nuget'
    ? matchesWildcard(pattern.toLowerCase(), name.toLowerCase())
    : matchesWildcard(pattern, name);
}
