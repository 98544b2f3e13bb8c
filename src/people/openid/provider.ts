import type { Services } from '../../access/services.ts';
import type { OneProvider } from '../../config/one-provider.ts';
import { providersOf } from '../../config/providers.ts';
import { perServer } from '../../platform/per-server.ts';

/** A configured OpenID Connect provider. */
export interface Provider {
  readonly name: string;
  readonly label: string;
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
  readonly signUp: boolean;
  readonly approval: boolean;
  readonly linkByEmail: boolean;
  readonly requiredGroups: readonly string[];
  readonly adminGroups: readonly string[];
  readonly externalGroups: readonly string[];
  readonly trustSecondFactor: boolean;
  readonly autoSignIn: boolean;
}

const fromSettings = (one: OneProvider): Provider => ({
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

const providers = perServer(({ config }: Services) => providersOf(config).map(fromSettings));

/** Returns the enabled providers; administrators can disable some at runtime. */
export async function offeredProviders(services: Services): Promise<Provider[]> {
  const { disabled_oauth_sign_in_sources: disabled } = await services.settings.read();
  return providers(services).filter(({ name }) => !disabled.includes(name));
}
