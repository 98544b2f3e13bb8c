import Type, { type Static } from 'typebox';
import { tokenScopes } from '../../access/credentials/scopes.ts';
import { rotation as rotationTo, tokenListParams } from '../../people/tokens/public.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { accounts } from './list.ts';

export const ServiceAccount = entity('ServiceAccount', {
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  email: Type.String(),
  public_email: nullable(Type.String()),
});
export type ServiceAccountEntity = Static<typeof ServiceAccount>;

export const details = {
  name: param.string({ description: 'Defaults to `Service account user`' }),
  username: param.string(),
  email: param.string(),
};
export const order = orderParams(accounts.orders, 'id', 'desc');

export const home = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const one = { ...home, user_id: required(param.integer()) };
export const numbered = { id: required(param.integer()) };
export const removal = { ...one, hard_delete: withDefault(param.boolean(), false) };

export const tokens = { ...one, ...tokenListParams };
export const newToken = {
  ...one,
  name: required(param.string()),
  description: param.string(),
  expires_at: param.date(),
  scopes: required(param.oneOrMoreOf(tokenScopes)),
};
export const oneToken = { ...one, token_id: required(param.integer()) };
export const rotation = { ...oneToken, ...rotationTo };
