import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../../platform/http/params.ts';
import { entity, nullable } from '../../../../platform/http/schema.ts';

const Setting = Type.Object({
  value: Type.Boolean(),
  locked: Type.Boolean(),
  inherited_from: nullable(Type.String()),
});

export const ApprovalSetting = entity('MergeRequestApprovalSetting', {
  allow_author_approval: Setting,
  allow_committer_approval: Setting,
  allow_overrides_to_approver_list_per_merge_request: Setting,
  retain_approvals_on_push: Setting,
  selective_code_owner_removals: Setting,
  require_password_to_approve: Setting,
  require_reauthentication_to_approve: Setting,
});
export type ApprovalSettingEntity = Static<typeof ApprovalSetting>;

export const place = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
export const change = {
  ...place,
  allow_author_approval: param.boolean(),
  allow_committer_approval: param.boolean(),
  allow_overrides_to_approver_list_per_merge_request: param.boolean(),
  retain_approvals_on_push: param.boolean(),
  selective_code_owner_removals: param.boolean(),
  require_password_to_approve: param.boolean(),
  require_reauthentication_to_approve: param.boolean(),
};
export type RestrictionChange = Omit<ParamsOf<typeof change>, 'id'>;

/** Parameters of which an update needs at least one. */
export const changing = [
  'allow_author_approval',
  'allow_committer_approval',
  'allow_overrides_to_approver_list_per_merge_request',
  'retain_approvals_on_push',
  'selective_code_owner_removals',
  'require_password_to_approve',
  'require_reauthentication_to_approve',
] as const;
