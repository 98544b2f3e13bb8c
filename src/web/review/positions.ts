import type { DiffLine } from '../code/diff-lines.ts';
import type { Entity } from '../frame/api.ts';

/** The commits of a diff, as in positions of notes. */
export interface DiffRefs {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

const onBoth = (path: string, old: unknown, now: unknown) => `${old ?? ''}:${now ?? ''}:${path}`;
const before = (path: string, old: unknown) => `before:${old ?? ''}:${path}`;
const after = (path: string, now: unknown) => `after:${now ?? ''}:${path}`;

/**
 * Returns the line of the shown diff that a position refers to, or undefined. Between two versions, notes on the later
 * one are at its new lines, and notes on the earlier one at its old lines.
 */
export function lineOfPosition(position: Entity, refs: DiffRefs, isBetween: boolean): string | undefined {
  const isOfHead = position.head_sha === refs.head_sha;
  if (isOfHead && (!isBetween || position.base_sha === refs.base_sha))
    return onBoth(position.new_path, position.old_line, position.new_line);
  if (!isBetween || typeof position.new_line !== 'number') return undefined;
  if (isOfHead) return after(position.new_path, position.new_line);
  return position.head_sha === refs.base_sha ? before(position.new_path, position.new_line) : undefined;
}

/** Returns the positions that refer to a line. */
export function placesOf(file: Entity, line: DiffLine): string[] {
  const itself =
    line.kind === 'spaces'
      ? [onBoth(file.new_path, line.old, undefined), onBoth(file.new_path, undefined, line.new)]
      : [onBoth(file.new_path, line.old, line.new)];
  return [
    ...itself,
    ...(line.old === undefined ? [] : [before(file.old_path, line.old)]),
    ...(line.new === undefined ? [] : [after(file.new_path, line.new)]),
  ];
}
