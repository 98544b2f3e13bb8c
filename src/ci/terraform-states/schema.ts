import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

/** Lock information that Terraform shows if a state is locked, with Terraform's field names. */
export const Lock = entity('TerraformLock', {
  ID: Type.String(),
  Operation: Type.String(),
  Info: Type.String(),
  Who: Type.String(),
  Version: Type.String(),
  Created: Type.String(),
  Path: Type.String(),
});
export type LockEntity = Static<typeof Lock>;

/** Metadata of a state version, without its content. */
export const StateVersion = entity('TerraformStateVersion', {
  serial: Type.Integer(),
  size: Type.Integer(),
  sha256: Type.String(),
  created_at: timestamp(),
  created_by: nullable(BasicUser),
});
export const State = entity('TerraformState', {
  name: Type.String(),
  locked_at: nullable(timestamp()),
  locked_by: nullable(BasicUser),
  latest_version: nullable(StateVersion),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type StateVersionEntity = Static<typeof StateVersion>;
export type StateEntity = Static<typeof State>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const state = {
  ...project,
  name: required(param.string({ description: 'Name of the Terraform state' })),
};
const lockId = param.string({ description: 'ID of the lock held by the client' });
export const writing = { ...state, ID: lockId };
export const locking = {
  ...state,
  ID: required(lockId),
  Operation: required(param.string()),
  Info: required(param.string()),
  Who: required(param.string()),
  Version: required(param.string()),
  Created: required(param.string()),
  Path: required(param.string()),
};
export const version = { ...state, serial: required(param.integer()) };
export type LockParams = ParamsOf<typeof locking>;
