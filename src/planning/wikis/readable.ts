import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { settingsOf } from '../../access/stored-settings.ts';
import { Forbidden, type HttpError, NotFound } from '../../platform/http/errors.ts';

/** A group can disable its wiki or restrict it to members. */
function refusalOf(place: ProjectOrGroup): HttpError | undefined {
  if (isProject(place)) return undefined;
  const level = settingsOf(place.group).wiki_access_level;
  if (level === 'disabled') return new NotFound('Wiki');
  const { admin, auditor } = place.standing;
  return level === 'private' && place.standing.level === 0 && !admin && !auditor ? new Forbidden() : undefined;
}

export function requireReadable(place: ProjectOrGroup): void {
  const refusal = refusalOf(place);
  if (refusal) throw refusal;
}

export const isReadable = (place: ProjectOrGroup): boolean => refusalOf(place) === undefined;
