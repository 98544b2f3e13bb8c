import type { DiffLine } from '../code/diff-lines.ts';
import type { Entity } from '../frame/api.ts';

/** The commits that changes lie between, as positions of comments name them. */
export interface DiffRefs {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

const onBoth = (path: string, old: unknown, now: unknown) => `${old ?? ''}:${now ?? ''}:${path}`;
const before = (path: string, old: unknown) => `before:${old ?? ''}:${path}`;
const after = (path: string, now: unknown) => `after:${now ?? ''}:${path}`;

/**
 * The line of the changes shown that a position is at; undefined where it is at none of them. Between two versions the
 * comments on each stand where that one has the line: those on the later beside what is there now, those on the earlier
 * beside what has become of it.
 */
export function placeOf(position: Entity, refs: DiffRefs, isBetween: boolean): string | undefined {
  const isOfHead = position.head_sha === refs.head_sha;
  if (isOfHead && (!isBetween || position.base_sha === refs.base_sha))
    return onBoth(position.new_path, position.old_line, position.new_line);
  if (!isBetween || typeof position.new_line !== 'number') return undefined;
  if (isOfHead) return after(position.new_path, position.new_line);
  return position.head_sha === refs.base_sha ? before(position.new_path, position.new_line) : undefined;
}

/** The places that a line of a file is at. */
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
