import Type, { type Static } from 'typebox';
import { param } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';

const fields = {
  view_diffs_file_by_file: Type.Boolean(),
  show_whitespace_in_diffs: Type.Boolean(),
  pass_user_identities_to_ci_jwt: Type.Boolean(),
  policy_advanced_editor: Type.Boolean(),
};

export const Preferences = entity('Preferences', { id: Type.Integer(), user_id: Type.Integer(), ...fields });
export type PreferencesEntity = Static<typeof Preferences>;

export type Preferred = Omit<PreferencesEntity, 'id' | 'user_id'>;

/** Parses stored preferences, which include only those ever set. */
export const readPreferences = storedJson(Type.Partial(Type.Object(fields)));

export const change = {
  view_diffs_file_by_file: param.boolean(),
  show_whitespace_in_diffs: param.boolean(),
  pass_user_identities_to_ci_jwt: param.boolean(),
  policy_advanced_editor: param.boolean(),
};
