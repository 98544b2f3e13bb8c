import Type from 'typebox';
import { tokenScopes } from '../../../access/credentials/scopes.ts';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { ofUser, creation as personalCreation, tokenFields, tokenText } from '../schema.ts';

const own = { impersonation: Type.Boolean() };

export const ImpersonationToken = entity('ImpersonationToken', { ...tokenFields, ...own });
export const NewImpersonationToken = entity('ImpersonationTokenWithToken', { ...tokenFields, ...tokenText, ...own });

export const list = { ...ofUser, state: withDefault(param.oneOf(['all', 'active', 'inactive']), 'all') };
export const one = { ...ofUser, impersonation_token_id: required(param.integer()) };
export const creation = { ...ofUser, ...personalCreation, scopes: param.oneOrMoreOf(tokenScopes) };
