import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../../platform/http/schema.ts';

/** The diff of one file. */
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

/** The diff stats of one file, without the diff itself. */
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
