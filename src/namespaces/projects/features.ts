import { Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { levelOfWord } from './settings/field-kinds.ts';
import { settingsFor } from './settings/values.ts';

/** Does the viewer have a feature of this level? */
export function hasFeature({ standing }: ProjectSubject, level: number): boolean {
  if (level >= 20) return true;
  return level > 0 && (standing.level > 0 || standing.admin || standing.auditor);
}

/** Who sees the pages of a project: until someone sets it, whoever sees a public project, else its members. */
export function pagesLevel(project: Pick<Project, 'settings' | 'visibility'>): unknown {
  const { pages_access_level } = settingsFor(project);
  return pages_access_level ?? (project.visibility === Visibility.public ? 'enabled' : 'private');
}

/** 403 unless the viewer may see what the project publishes as pages. */
export function requirePages(subject: ProjectSubject): null {
  if (!hasFeature(subject, levelOfWord(pagesLevel(subject.project)))) throw new Forbidden();
  return null;
}

/** Whether what the project publishes as pages may be shown to somebody, who need not see the project itself. */
export function seesPages(subject: ProjectSubject): boolean {
  const level = pagesLevel(subject.project);
  if (level === 'public') return true;
  return subject.can('read_project') && hasFeature(subject, levelOfWord(level));
}
