import type { Area } from '../../access/area.ts';
import { offeredOpenidProviders } from './sign-in.ts';

/** Sign-in through OpenID Connect providers. */
export const openid: Area = { name: 'openid', contributes: { 'sign-in.providers': offeredOpenidProviders } };
