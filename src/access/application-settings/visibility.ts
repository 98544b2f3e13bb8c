import { type Actor, isAdmin } from '../actor.ts';
import { Visibility, visibilityName } from '../roles.ts';
import type { ApplicationSettings } from './list.ts';

type Restricted = Pick<ApplicationSettings, 'restricted_visibility_levels'>;

function isRestricted({ restricted_visibility_levels: levels }: Restricted, actor: Actor, level: number): boolean {
  return !isAdmin(actor) && levels.includes(visibilityName(level));
}

/** Validation messages if the actor may not set this visibility level; empty if they may. */
export function restrictionProblems(settings: Restricted, actor: Actor, level: number): string[] {
  if (!isRestricted(settings, actor, level)) return [];
  return [`${visibilityName(level)} has been restricted by your GitLab administrator`];
}

/** The level itself or, if it is restricted, the widest unrestricted level below it; private if all are restricted. */
export function widestAllowed(settings: Restricted, actor: Actor, level: number): number {
  const levels = [Visibility.public, Visibility.internal, Visibility.private];
  const open = levels.find((each) => each <= level && !isRestricted(settings, actor, each));
  return open ?? Visibility.private;
}

/** Whether profiles are hidden from anonymous users. */
export function hidesProfiles({ restricted_visibility_levels: levels }: Restricted): boolean {
  return levels.includes('public');
}
