import { isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role, roleName } from '../../access/roles.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import type { Reader } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, Invalid, MethodNotAllowed } from '../../platform/http/errors.ts';
import { inheritedMember } from './store.ts';

/** Who gives or takes a role. */
export interface Granter {
  readonly admin: boolean;
  /** Their own level in the project or group. */
  readonly level: number;
}

/**
 * May they give this level, or change someone who has it? Nobody hands out more than they hold; Planner is no step
 * of the ladder, so that only Owners and Planners do.
 */
export function mayGrant({ admin, level }: Granter, granted: number): boolean {
  if (admin || level === Role.owner) return true;
  if (granted === Role.planner) return level === Role.planner;
  return granted <= level;
}

const ladder = [Role.guest, Role.planner, Role.reporter, Role.developer, Role.maintainer, Role.owner] as const;

/** Can a member have this level? Minimal access exists at the top of a tree of groups alone. */
export function isLevelOf(level: number, kind: 'project' | 'subgroup' | 'top-level group'): boolean {
  if (level === Role.minimal) return kind === 'top-level group';
  return ladder.some((known) => known === level);
}

/** Refuses a level that nobody can have there. */
export function checkLevel(subject: ProjectOrGroup, level: number): void {
  const kind = isProject(subject) ? 'project' : subject.group.parent_id === null ? 'top-level group' : 'subgroup';
  if (!isLevelOf(level, kind)) throw new Invalid({ access_level: ['is not included in the list'] });
}

/** Refuses to give, or to touch, a level that the caller has no say over. */
export function checkGrant({ standing }: ProjectOrGroup, level: number): void {
  if (!mayGrant(standing, level)) throw new Forbidden();
}

/** Refuses a role of one's own that is lower than the one inherited anyway. */
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

/** The domains of whose e-mail addresses members may be; undefined where any will do. */
export type Domains = readonly string[] | undefined;

/** What the groups around say: refused where projects take no members at all, else of which domains they may be. */
export async function openTo(db: Reader, subject: ProjectOrGroup): Promise<Domains> {
  const settings = (await settingsAbove(db, namespaceOf(subject).id)).map((group) => group.settings);
  if (isProject(subject) && settings.some((group) => group.membership_lock === true)) throw new MethodNotAllowed();
  return domainsIn(settings);
}

/** Of which domains the members of what is inside these groups may be. */
export function domainsIn(settings: readonly Readonly<Record<string, unknown>>[]): Domains {
  const domains = settings.map((group) => group.allowed_email_domains_list).find((list) => typeof list === 'string');
  return domains === undefined
    ? undefined
    : String(domains)
        .toLowerCase()
        .split(',')
        .map((domain) => domain.trim());
}

/** By every way in, whoever comes by address, by request or from another project; bots have no address of their own. */
export async function checkGroupRules(db: Reader, subject: ProjectOrGroup, email: string | undefined): Promise<void> {
  const domains = await openTo(db, subject);
  if (domains === undefined || email === undefined) return;
  if (domains.includes(email.toLowerCase().split('@').at(-1) ?? '')) return;
  // Without the address: it is not for whoever runs a group to learn it by trying to add somebody.
  throw new Invalid({ user: [`email does not match the allowed domain of '${domains.join(', ')}'`] });
}

const maxNamed = 100;

/** People are named so many at a time: each of them is sent an email. */
export function checkNamed(names: ReadonlySet<string>): void {
  if (names.size > maxNamed) throw new BadRequest(`Too many users specified (limit is ${maxNamed})`);
}
