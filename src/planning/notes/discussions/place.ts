import type { LimitedDiffEntry } from '../../../platform/git/diff/limits.ts';
import { decodePath, patchText } from '../../../platform/git/diff/text.ts';
import type { DiffPosition } from '../noteable.ts';
import { noteValidationError } from '../service.ts';
import { findLinePair, lineCode } from './line-code.ts';
import type { PositionParams } from './schema.ts';

const noLine = () => noteValidationError({ line_code: ["can't be blank", 'must be a valid line code'] });

/** Validates a position against a diff and returns it in stored form; throws if the diff has no such line. */
export function positionInDiff(entries: readonly LimitedDiffEntry[], position: PositionParams): DiffPosition {
  const { base_sha, start_sha, head_sha, position_type } = position;
  const old_path = position.old_path || position.new_path || '';
  const new_path = position.new_path || position.old_path || '';
  const entry = entries.find((one) => decodePath(one.newPath) === new_path || decodePath(one.oldPath) === old_path);
  if (!entry) throw noLine();
  const kept = { base_sha, start_sha, head_sha, old_path, new_path, position_type };
  if (position_type === 'file') return { position: kept, lineCode: null };
  if (position_type === 'image') {
    const { width, height, x, y } = position;
    return { position: { ...kept, width, height, x, y }, lineCode: null };
  }
  const { old_line: oldLine, new_line: newLine, line_range = null } = position;
  if (oldLine === undefined && newLine === undefined) throw noLine();
  const place = findLinePair(patchText(entry), { oldLine, newLine });
  if (!place) throw noLine();
  return {
    position: { ...kept, old_line: oldLine ?? null, new_line: newLine ?? null, line_range },
    lineCode: lineCode(new_path, place),
  };
}
