import { groupNameProblems, namespacePathProblems } from '../../access/namespaces/path-rules.ts';
import { visibilityName } from '../../access/roles.ts';
import type { User } from '../../access/tables.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';
import type { ErrorMap } from '../../platform/http/responses/ruby-dump.ts';

/** The errors of several checks in one map, attributes without any left out. */
export function gather(...maps: readonly ErrorMap[]): ErrorMap {
  const all: Record<string, string[]> = {};
  for (const [key, texts] of maps.flatMap((map) => Object.entries(map))) {
    if (texts.length > 0) all[key] = [...new Set([...(all[key] ?? []), ...texts])];
  }
  return all;
}

/** What is wrong with the texts of a group; a path is checked when it is set or changed. */
export function textProblems(
  wanted: { readonly name?: string; readonly path?: string; readonly description?: string },
  top: boolean,
): ErrorMap {
  const { name, path, description } = wanted;
  const long = tooLong(description ?? '', 2000);
  return {
    name: name === undefined ? [] : groupNameProblems(name),
    path: path === undefined ? [] : namespacePathProblems(path, top),
    description: long === undefined ? [] : [long],
  };
}

/** The widest visibility of what is around and inside a group; absent where there is nothing. */
export interface VisibilityNeighbours {
  readonly parent?: number | undefined;
  readonly projects?: number | undefined;
  readonly subgroups?: number | undefined;
}

/** A group is never wider than its parent, nor narrower than what it holds. */
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

/** The most groups that may stand above one. */
export const maxAncestors = 20;
export const tooDeep = 'has too deep level of nesting';
export const taken = ['has already been taken'];

/** May this user start a tree of groups of their own? */
export function mayCreateTopLevelGroup(user: User): boolean {
  return user.kind === 'human' && user.external !== 1 && user.can_create_group === 1;
}

/** Two requests for one address: the constraint decides, and the loser is told as if it had come later. */
export function refuseTaken(error: unknown): never {
  const broken = uniqueViolation(error);
  if (!broken) throw error;
  throw new Invalid(broken.table === 'namespaces' ? { name: taken } : { path: taken });
}
