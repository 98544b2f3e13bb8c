import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const holder = {
  id: Type.Integer(),
  access_level: nullable(Type.Integer()),
  access_level_description: Type.String(),
};
const people = { user_id: nullable(Type.Integer()), group_id: nullable(Type.Integer()) };

/** An access level for pushing or creating tags. */
export const KeyedAccessLevel = entity('ProtectedRefKeyedAccessLevel', {
  ...holder,
  deploy_key_id: nullable(Type.Integer()),
  ...people,
});
/** An access level for merging or unprotecting. */
export const AccessLevel = entity('ProtectedRefAccessLevel', { ...holder, ...people });

export const projectOrGroupParams = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const protectedRefParams = {
  ...projectOrGroupParams,
  name: required(param.string({ description: 'Name or wildcard' })),
};

export const levels = [0, 30, 40, 60];
export const grants = () =>
  param.hashes({
    id: param.integer(),
    _destroy: param.boolean(),
    access_level: param.integerOf(levels),
    user_id: param.integer(),
    group_id: param.integer(),
    deploy_key_id: param.integer(),
  });
