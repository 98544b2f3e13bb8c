import { groupNameProblems, namespacePathProblems } from '../../access/namespaces/path-rules.ts';
import { visibilityName } from '../../access/roles.ts';
import type { User } from '../../access/tables.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import type { ErrorMap } from '../../platform/http/responses/ruby-dump.ts';

/** Merges error maps, dropping attributes without errors. */
export function combineErrors(...maps: readonly ErrorMap[]): ErrorMap {
  const all: Record<string, string[]> = {};
  for (const [key, texts] of maps.flatMap((map) => Object.entries(map))) {
    if (texts.length > 0) all[key] = [...new Set([...(all[key] ?? []), ...texts])];
  }
  return all;
}

/** Validates the name, path and description of a group. The path is checked only when it is set or changed. */
export function textProblems(
  params: { readonly name?: string; readonly path?: string; readonly description?: string },
  top: boolean,
): ErrorMap {
  const { name, path, description } = params;
  const long = lengthProblem(description ?? '', 2000);
  return {
    name: name === undefined ? [] : groupNameProblems(name),
    path: path === undefined ? [] : namespacePathProblems(path, top),
    description: long === undefined ? [] : [long],
  };
}

/**
 * The highest visibility level of the parent and of the projects and subgroups of a group; absent if there are none.
 */
export interface VisibilityNeighbours {
  readonly parent?: number | undefined;
  readonly projects?: number | undefined;
  readonly subgroups?: number | undefined;
}

/** The visibility of a group may not exceed that of its parent nor be below that of its contents. */
export function visibilityProblems(level: number, around: VisibilityNeighbours): ErrorMap {
  const word = visibilityName(level);
  const problems: string[] = [];
  if (around.parent !== undefined && level > around.parent) {
    problems.push(`${word} is not allowed since the parent group has a ${visibilityName(around.parent)} visibility.`);
  }
  if (around.projects !== undefined && level < around.projects) {
    problems.push(`${word} is not allowed since this group contains projects with higher visibility.`);
  }
  if (around.subgroups !== undefined && level < around.subgroups) {
    problems.push(`${word} is not allowed since there are sub-groups with higher visibility.`);
  }
  return { visibility_level: problems };
}

/** Maximum number of ancestors of a group. */
export const maxAncestors = 20;
export const tooDeep = 'has too deep level of nesting';
export const takenError = ['has already been taken'];

/** Whether the user may create top-level groups. */
export function mayCreateTopLevelGroup(user: User): boolean {
  return user.kind === 'human' && user.external !== 1 && user.can_create_group === 1;
}

/**
 * Turns a unique violation into a validation error: of two concurrent requests for the same path, the later one gets
 * the same error as if it had arrived afterwards.
 */
export function throwTakenError(error: unknown): never {
  const broken = uniqueViolation(error);
  if (!broken) throw error;
  throw new Invalid(broken.table === 'namespaces' ? { name: takenError } : { path: takenError });
}
