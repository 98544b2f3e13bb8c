import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

const fields = {
  id: Type.Integer(),
  application_id: Type.String(),
  application_name: Type.String(),
  callback_url: Type.String(),
  confidential: Type.Boolean(),
  scopes: Type.Array(Type.String()),
};
export const Application = entity('Application', fields);
export type ApplicationEntity = Static<typeof Application>;
/** Returned on creation and secret renewal only: includes the secret. */
export const NewApplication = entity('ApplicationWithSecret', { ...fields, secret: Type.String() });

export const numbered = { id: required(param.integer()) };
export const creation = {
  name: required(param.string()),
  redirect_uri: required(param.string({ description: 'One URL per line' })),
  scopes: required(param.string({ description: 'Separated by spaces' })),
  confidential: withDefault(param.boolean(), true),
};
export const ofInstance = {
  ...creation,
  trusted: withDefault(param.boolean({ description: 'Users are not asked for authorization' }), false),
};
