import { projectNameProblems, projectPathProblems } from '../../access/namespaces/path-rules.ts';
import { Visibility, type VisibilityName, visibilityName } from '../../access/roles.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { trimCharacters } from '../../platform/trim.ts';

const longestDescription = 2000;

/** Derives a path from a name: replaces invalid characters by dashes and trims them at the ends. */
export function pathFromName(name: string): string {
  const lower = name.trim().toLowerCase();
  if (projectPathProblems(lower).length === 0) return lower;
  const plain = lower.normalize('NFD').replace(/\p{M}/gu, '');
  return trimCharacters(
    plain.replace(/[^a-z0-9_-]+/g, '-').replace(/[-_]{2,}/g, (run) => run[0] as string),
    '-_',
  );
}

/** Validates the name, path and description in a request; returns errors by attribute. */
export function nameProblems(params: {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | null | undefined;
}): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const add = (attribute: string, texts: string[]) => {
    if (texts.length > 0) problems[attribute] = texts;
  };
  const long = lengthProblem(params.description ?? '', longestDescription);
  if (params.name !== undefined) add('name', projectNameProblems(params.name));
  if (params.path !== undefined) add('path', projectPathProblems(params.path));
  if (long !== undefined) add('description', [long]);
  return problems;
}

/** Limits the requested visibility of a new project to that of its namespace. */
export function newVisibility(requested: VisibilityName, namespace: Pick<Namespace, 'visibility'>): number {
  return Math.min(Visibility[requested], namespace.visibility);
}

/** Validates the visibility of a project; includes violations of the instance restrictions. */
export function visibilityProblems(
  requested: VisibilityName,
  namespace: Pick<Namespace, 'visibility'>,
  source: Pick<Project, 'visibility'> | undefined,
  restrictions: readonly string[] = [],
): string[] {
  const level = Visibility[requested];
  const problems = [...restrictions];
  if (level > namespace.visibility) {
    problems.push(`${requested} is not allowed in a ${visibilityName(namespace.visibility)} namespace.`);
  }
  if (source && level > source.visibility) {
    problems.push(`${requested} is not allowed since the fork source project has lower visibility.`);
  }
  return problems;
}

const taken = ['has already been taken'];

/** Name and path cannot be told apart in the API error: all three attributes report that they are taken. */
export const nameTaken = { 'project_namespace.name': taken, name: taken, path: taken };
