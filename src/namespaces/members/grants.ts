import { Role } from '../../access/roles.ts';

/** Who gives or takes a role. */
export interface Granter {
  readonly admin: boolean;
  /** Their own level in the place. */
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
