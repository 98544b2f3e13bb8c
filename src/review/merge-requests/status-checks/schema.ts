import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { MergeRequestBasic, oneRequest, project } from '../schema.ts';
import { checkStatuses } from './rules.ts';

const CheckBranch = entity('ExternalStatusCheckBranch', {
  id: Type.Integer(),
  project_id: Type.Union([Type.Integer(), Type.Null()]),
  name: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  code_owner_approval_required: Type.Boolean(),
});

export const StatusCheck = entity('ExternalStatusCheck', {
  id: Type.Integer(),
  name: Type.String(),
  project_id: Type.Integer(),
  external_url: Type.String(),
  hmac: Type.Boolean({ description: 'Whether requests to it are signed' }),
  protected_branches: Type.Array(CheckBranch),
});
export type StatusCheckEntity = Static<typeof StatusCheck>;

/** A status check with its status for one merge request. */
export const RequestStatusCheck = entity('MergeRequestStatusCheck', {
  id: Type.Integer(),
  name: Type.String(),
  external_url: Type.String(),
  status: Type.String(),
});
export type RequestStatusCheckEntity = Static<typeof RequestStatusCheck>;

export const StatusCheckResponse = entity('MergeRequestStatusCheckResponse', {
  id: Type.Integer(),
  merge_request: MergeRequestBasic,
  external_status_check: StatusCheck,
});
export type StatusCheckResponseEntity = Static<typeof StatusCheckResponse>;

const optional = {
  shared_secret: param.string({ description: 'Secret that requests to it are signed with' }),
  protected_branch_ids: param.integers({
    description: 'IDs of the protected branches it applies to; all branches if absent',
  }),
};

export const newCheck = {
  ...project,
  name: required(param.string()),
  external_url: required(param.string({ description: 'URL that merge requests are sent to' })),
  ...optional,
};
export type NewCheckParams = ParamsOf<typeof newCheck>;

export const oneCheck = { ...project, check_id: required(param.integer()) };
export const checkChange = { ...oneCheck, name: param.string(), external_url: param.string(), ...optional };
export type CheckChangeParams = ParamsOf<typeof checkChange>;

const ofRequest = { external_status_check_id: required(param.integer()) };

export const newResponse = {
  ...oneRequest,
  sha: required(param.string({ description: 'Head of the merge request that the status is for' })),
  ...ofRequest,
  status: withDefault(param.oneOf(checkStatuses), 'passed'),
};
export type NewResponseParams = ParamsOf<typeof newResponse>;

export const retried = { ...oneRequest, ...ofRequest };
