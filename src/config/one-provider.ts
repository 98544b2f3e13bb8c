import { BadValue, list, secret, text, toggle, type Values } from './setting.ts';

/** Settings of one OpenID Connect provider. */
export const oneProvider = {
  oidcIssuer: text('HEARTH_OIDC_ISSUER', undefined, 'Issuer URL of the OpenID Connect provider.', issuer),
  oidcClientId: text('HEARTH_OIDC_CLIENT_ID', '', 'Client ID at the provider.'),
  oidcClientSecret: secret('HEARTH_OIDC_CLIENT_SECRET', 'Client secret; without it, the client is public.'),
  oidcProvider: text(
    'HEARTH_OIDC_PROVIDER',
    'openid_connect',
    'Provider name in identities and in the redirect URI, /users/auth/NAME/callback.',
    provider,
  ),
  oidcLabel: text('HEARTH_OIDC_LABEL', undefined, 'Label of the sign-in button; by default, the name.'),
  oidcScopes: list('HEARTH_OIDC_SCOPES', ['openid', 'profile', 'email'], 'Requested scopes.', scope),
  oidcUsernameClaims: list(
    'HEARTH_OIDC_USERNAME_CLAIMS',
    ['preferred_username', 'nickname'],
    'Claims for the username, in order of preference.',
  ),
  oidcEmailClaim: text('HEARTH_OIDC_EMAIL_CLAIM', 'email', 'Claim with the email address.'),
  oidcNameClaim: text('HEARTH_OIDC_NAME_CLAIM', 'name', 'Claim with the full name.'),
  oidcGroupsClaim: text('HEARTH_OIDC_GROUPS_CLAIM', 'groups', 'Claim with the list of groups.'),
  oidcSignUp: toggle('HEARTH_OIDC_SIGN_UP', 'Create accounts at the first sign-in.'),
  oidcApproval: toggle('HEARTH_OIDC_APPROVAL', 'Require approval by an administrator for such accounts.'),
  oidcLinkByEmail: toggle(
    'HEARTH_OIDC_LINK_BY_EMAIL',
    'Link to an existing account with the same email address, if both sides have confirmed it.',
  ),
  oidcRequiredGroups: list('HEARTH_OIDC_REQUIRED_GROUPS', [], 'Groups that may sign in; members of any of them.'),
  oidcAdminGroups: list(
    'HEARTH_OIDC_ADMIN_GROUPS',
    [],
    'Groups whose members are administrators; other users of the provider are not.',
  ),
  oidcExternalGroups: list(
    'HEARTH_OIDC_EXTERNAL_GROUPS',
    [],
    'Groups whose members are external users; other users of the provider are not.',
  ),
  oidcTrustSecondFactor: toggle(
    'HEARTH_OIDC_TRUST_SECOND_FACTOR',
    'Do not ask for a second factor after sign-in at the provider.',
  ),
  oidcAutoSignIn: toggle('HEARTH_OIDC_AUTO_SIGN_IN', 'Redirect from the sign-in page to the provider.'),
};

export type OneProvider = Readonly<Values<typeof oneProvider>>;

/** Returns mistakes in the combination of provider settings, each with the setting it concerns. */
export function providerMistakes(settings: OneProvider): [keyof OneProvider, string][] {
  const { oidcIssuer, oidcClientId, oidcScopes } = settings;
  const found: [keyof OneProvider, string][] = [];
  if (oidcIssuer !== undefined && oidcClientId === '') found.push(['oidcClientId', 'needed with the issuer']);
  if (!oidcScopes.includes('openid')) found.push(['oidcScopes', 'must include openid']);
  return found;
}

const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Unencrypted connections can be intercepted, so http is accepted for the local machine only. */
function issuer(value: string): string {
  const url = URL.parse(value);
  const isBare = url !== null && url.username === '' && url.search === '' && url.hash === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.test(url.hostname));
  // The library would use such a URL unchanged and not verify the issuer.
  if (!isBare || !isSafe || value.includes('/.well-known/')) {
    throw new BadValue('expected an address such as https://login.example.com/realms/main');
  }
  return value;
}

function provider(value: string): string {
  // Names of LDAP providers start with ldap.
  if (!/^(?!ldap)[a-z][a-z0-9_-]{0,62}$/.test(value)) throw new BadValue('expected a name such as keycloak');
  return value;
}

function scope(value: string): string {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)) throw new BadValue('expected scopes such as openid,email');
  return value;
}
