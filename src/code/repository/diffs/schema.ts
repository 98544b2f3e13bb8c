import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../../platform/http/schema.ts';

/** One file of a comparison. */
export const Diff = entity('Diff', {
  diff: Type.String(),
  collapsed: Type.Boolean(),
  too_large: Type.Boolean(),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String(),
  b_mode: Type.String(),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: nullable(Type.Boolean()),
});
export type DiffEntity = Static<typeof Diff>;

/** One file of a comparison without its text: what a list of all files needs. */
export const DiffStat = entity('DiffStat', {
  new_path: Type.String(),
  old_path: Type.String(),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
});
export type DiffStatEntity = Static<typeof DiffStat>;
