import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { userLists } from './list.ts';

export const UserList = entity('FeatureFlagUserList', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
  name: Type.String(),
  user_xids: Type.String(),
});
export type UserListEntity = Static<typeof UserList>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const numbered = {
  ...project,
  iid: required(param.integer({ description: 'Internal ID of the list in the project' })),
};
export const listing = { ...project, ...userLists.params };

const name = param.string({ description: 'Unique in the project' });
const user_xids = param.string({ description: 'Comma-separated user IDs as defined by the application' });
export const creation = { ...project, name: required(name), user_xids: required(user_xids) };
export type CreationParams = ParamsOf<typeof creation>;
export const change = { ...numbered, name, user_xids };
export type ChangeParams = ParamsOf<typeof change>;
