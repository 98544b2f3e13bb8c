import { Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { accessLevelNumber } from './settings/field-kinds.ts';
import { settingsFor } from './settings/values.ts';

/** Whether the viewer can use a feature with this access level. */
export function hasFeature({ standing }: ProjectSubject, level: number): boolean {
  if (level >= 20) return true;
  return level > 0 && (standing.level > 0 || standing.admin || standing.auditor);
}

/** Access level of a project's Pages site: by default everyone for public projects, members otherwise. */
export function pagesLevel(project: Pick<Project, 'settings' | 'visibility'>): unknown {
  const { pages_access_level } = settingsFor(project);
  return pages_access_level ?? (project.visibility === Visibility.public ? 'enabled' : 'private');
}

/** Throws 403 unless the viewer may see the Pages site. */
export function requirePages(subject: ProjectSubject): null {
  if (!hasFeature(subject, accessLevelNumber(pagesLevel(subject.project)))) throw new Forbidden();
  return null;
}

/** Whether the viewer may see the Pages site, which does not always require access to the project. */
export function seesPages(subject: ProjectSubject): boolean {
  const level = pagesLevel(subject.project);
  if (level === 'public') return true;
  return subject.can('read_project') && hasFeature(subject, accessLevelNumber(level));
}
