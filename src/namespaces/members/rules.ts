import { isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role, roleName } from '../../access/roles.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Reader } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, Invalid, MethodNotAllowed } from '../../platform/http/errors.ts';
import { inheritedMember } from './store.ts';

/** The user who grants or removes a role. */
export interface Granter {
  readonly admin: boolean;
  /** The user's own access level in the project or group. */
  readonly level: number;
}

/**
 * Whether the user may grant this level or change a member who has it: up to their own level. Planner is outside of
 * that order; only Owners and Planners grant it.
 */
export function mayGrant({ admin, level }: Granter, granted: number): boolean {
  if (admin || level === Role.owner) return true;
  if (granted === Role.planner) return level === Role.planner;
  return granted <= level;
}

const ladder = [Role.guest, Role.planner, Role.reporter, Role.developer, Role.maintainer, Role.owner] as const;

/** Whether a member can have this level. Minimal access exists in top-level groups only. */
export function isLevelOf(level: number, kind: 'project' | 'subgroup' | 'top-level group'): boolean {
  if (level === Role.minimal) return kind === 'top-level group';
  return ladder.some((known) => known === level);
}

/** Rejects levels that do not exist for this kind of resource. */
export function checkLevel(subject: ProjectOrGroup, level: number): void {
  const kind = isProject(subject) ? 'project' : subject.group.parent_id === null ? 'top-level group' : 'subgroup';
  if (!isLevelOf(level, kind)) throw new Invalid({ access_level: ['is not included in the list'] });
}

/** Rejects granting or changing a level above the caller's own. */
export function checkGrant({ standing }: ProjectOrGroup, level: number): void {
  if (!mayGrant(standing, level)) throw new Forbidden();
}

/** Rejects a direct role lower than the inherited one. */
export async function checkInherited(
  db: Reader,
  subject: ProjectOrGroup,
  userId: number,
  level: number,
): Promise<void> {
  const inherited = await inheritedMember(db, subject, userId);
  if (!inherited || level >= inherited.access_level) return;
  const role = roleName(inherited.access_level);
  throw new Invalid({
    access_level: [`should be greater than or equal to ${role} inherited membership from group ${inherited.name}`],
  });
}

/** Allowed e-mail domains of members; undefined if unrestricted. */
export type Domains = readonly string[] | undefined;

/**
 * Applies the settings of the groups above: rejects additions if they lock project memberships, and returns the allowed
 * e-mail domains.
 */
export async function checkMemberAdditions(db: Reader, subject: ProjectOrGroup): Promise<Domains> {
  const settings = (await settingsWithAncestors(db, namespaceOf(subject).id)).map((group) => group.settings);
  if (isProject(subject) && settings.some((group) => group.membership_lock === true)) throw new MethodNotAllowed();
  return domainsIn(settings);
}

/** Returns the e-mail domains that the nearest of these groups allows. */
export function domainsIn(settings: readonly Readonly<Record<string, unknown>>[]): Domains {
  const domains = settings.map((group) => group.allowed_email_domains_list).find((list) => typeof list === 'string');
  return domains === undefined
    ? undefined
    : String(domains)
        .toLowerCase()
        .split(',')
        .map((domain) => domain.trim());
}

/**
 * Applies the group rules to every kind of addition: by e-mail, by access request or by import. Bots have no e-mail
 * address.
 */
export async function checkGroupRules(db: Reader, subject: ProjectOrGroup, email: string | undefined): Promise<void> {
  const domains = await checkMemberAdditions(db, subject);
  if (domains === undefined || email === undefined) return;
  if (domains.includes(email.toLowerCase().split('@').at(-1) ?? '')) return;
  // The message omits the address: it must not be revealed to group owners who try to add a user.
  throw new Invalid({ user: [`email does not match the allowed domain of '${domains.join(', ')}'`] });
}

const maxNamed = 100;

/** Limits the number of users per request, because each of them gets an e-mail. */
export function checkNamed(names: ReadonlySet<string>): void {
  if (names.size > maxNamed) throw new BadRequest(`Too many users specified (limit is ${maxNamed})`);
}
