import type { LimitedDiffEntry } from '../../../platform/git/diff/limits.ts';
import { decodePath, diffMode, patchText } from '../../../platform/git/diff/text.ts';
import type { DiffEntity, DiffStatEntity } from './schema.ts';

/** Presents the diff of one file; with `unidiff`, including the file headers. */
export function presentDiff(entry: LimitedDiffEntry, unidiff = false): DiffEntity {
  return {
    diff: patchText(entry, unidiff),
    collapsed: entry.collapsed,
    too_large: entry.tooLarge,
    new_path: decodePath(entry.newPath),
    old_path: decodePath(entry.oldPath),
    a_mode: diffMode(entry.oldMode),
    b_mode: diffMode(entry.newMode),
    new_file: entry.newFile,
    renamed_file: entry.renamedFile,
    deleted_file: entry.deletedFile,
    generated_file: entry.generated ?? null,
  };
}

/** Presents the line counts of one file, which are also known for files too large to show. */
export function presentDiffStat(entry: LimitedDiffEntry): DiffStatEntity {
  return {
    new_path: decodePath(entry.newPath),
    old_path: decodePath(entry.oldPath),
    new_file: entry.newFile,
    renamed_file: entry.renamedFile,
    deleted_file: entry.deletedFile,
    additions: entry.additions,
    deletions: entry.deletions,
  };
}
