import type { Services } from '../../access/services.ts';
import type { OneProvider } from '../../config/one-provider.ts';
import { providersOf } from '../../config/providers.ts';
import { perServer } from '../../platform/per-server.ts';
import type { SignInProvider } from '../sign-in-providers/public.ts';

/** A configured OpenID Connect provider. */
export interface Provider extends SignInProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  readonly claims: {
    readonly username: readonly string[];
    readonly email: string;
    readonly name: string;
    readonly groups: string;
  };
}

const fromSettings = (one: OneProvider): Provider => ({
  protocol: 'openid',
  name: one.oidcProvider,
  label: one.oidcLabel ?? one.oidcProvider,
  issuer: one.oidcIssuer ?? '',
  clientId: one.oidcClientId,
  clientSecret: one.oidcClientSecret,
  scopes: one.oidcScopes,
  claims: {
    username: one.oidcUsernameClaims,
    email: one.oidcEmailClaim,
    name: one.oidcNameClaim,
    groups: one.oidcGroupsClaim,
  },
  signUp: one.oidcSignUp,
  approval: one.oidcApproval,
  linkByEmail: one.oidcLinkByEmail,
  requiredGroups: one.oidcRequiredGroups,
  adminGroups: one.oidcAdminGroups,
  externalGroups: one.oidcExternalGroups,
  trustSecondFactor: one.oidcTrustSecondFactor,
  autoSignIn: one.oidcAutoSignIn,
});

export const openidProviders = perServer(({ config }: Services) => providersOf(config).map(fromSettings));
