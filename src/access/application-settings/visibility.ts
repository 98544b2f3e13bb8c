import { type Actor, isAdmin } from '../actor.ts';
import { Visibility, visibilityName } from '../roles.ts';
import type { ApplicationSettings } from './list.ts';

type Restricted = Pick<ApplicationSettings, 'restricted_visibility_levels'>;

function isRestricted({ restricted_visibility_levels: levels }: Restricted, actor: Actor, level: number): boolean {
  return !isAdmin(actor) && levels.includes(visibilityName(level));
}

/** Why this actor may not make something as visible as that; no text when they may. */
export function restrictionProblems(settings: Restricted, actor: Actor, level: number): string[] {
  if (!isRestricted(settings, actor, level)) return [];
  return [`${visibilityName(level)} has been restricted by your GitLab administrator`];
}

/** The level itself or, where it is restricted, the widest below it that is not; private if all are. */
export function widestAllowed(settings: Restricted, actor: Actor, level: number): number {
  const levels = [Visibility.public, Visibility.internal, Visibility.private];
  const open = levels.find((each) => each <= level && !isRestricted(settings, actor, each));
  return open ?? Visibility.private;
}

/** Are profiles kept from those who do not sign in? */
export function hidesProfiles({ restricted_visibility_levels: levels }: Restricted): boolean {
  return levels.includes('public');
}
