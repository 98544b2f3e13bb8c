import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { owner } from '../schema.ts';

export const newShare = {
  ...owner,
  group_id: required(param.integer()),
  group_access: required(param.integerOf([10, 15, 20, 30, 40, 50])),
  expires_at: param.date(),
  member_role_id: param.integer({ description: 'ID of a custom role based on the access level' }),
};
export type NewShareParams = ParamsOf<typeof newShare>;
export const oneShare = { ...owner, group_id: required(param.integer()) };
