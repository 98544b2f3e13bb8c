import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { matchesWildcard } from '../../../platform/wildcard.ts';
import type { PackageRow, PackageRuleRow } from '../tables.ts';
import { rulesOf } from './store.ts';

/** Throws if protection rules forbid the change. Administrators are exempt; deploy tokens satisfy no rule. */
export async function requireUnprotected(
  { db }: Services,
  actor: Actor,
  { project, standing }: ProjectSubject,
  { name, package_type }: Pick<PackageRow, 'name' | 'package_type'>,
  change: 'push' | 'delete',
): Promise<void> {
  if (isAdmin(actor)) return;
  const level = actor.deploy ? Role.none : standing.level;
  const isProtected = (await rulesOf(db.read, project.id)).some((rule) => {
    const least = (change === 'push' ? rule.push_level : rule.delete_level) ?? Role.none;
    return rule.package_type === package_type && least > level && isNamed(rule, name);
  });
  if (isProtected) throw new Forbidden(change === 'push' ? 'Package protected.' : 'Package is deletion protected.');
}

/** Whether a rule applies to a package name. NuGet names are case-insensitive. */
function isNamed({ package_type, pattern }: PackageRuleRow, name: string): boolean {
  return package_type === 'nuget'
    ? matchesWildcard(pattern.toLowerCase(), name.toLowerCase())
    : matchesWildcard(pattern, name);
}
