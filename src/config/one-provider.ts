import { BadValue, list, secret, text, toggle, type Values } from './setting.ts';

/** A provider (OpenID Connect) that people sign in through. */
export const oneProvider = {
  oidcIssuer: text(
    'HEARTH_OIDC_ISSUER',
    undefined,
    'Provider (OpenID Connect) that people sign in through, by the address that it calls itself.',
    issuer,
  ),
  oidcClientId: text('HEARTH_OIDC_CLIENT_ID', '', 'What the provider knows this server as.'),
  oidcClientSecret: secret(
    'HEARTH_OIDC_CLIENT_SECRET',
    'Secret that goes with it; without it, the client is a public one.',
  ),
  oidcProvider: text(
    'HEARTH_OIDC_PROVIDER',
    'openid_connect',
    'What the provider is called in identities and in the address that it answers to, /users/auth/NAME/callback.',
    provider,
  ),
  oidcLabel: text('HEARTH_OIDC_LABEL', undefined, 'What its button says; without it, the name.'),
  oidcScopes: list('HEARTH_OIDC_SCOPES', ['openid', 'profile', 'email'], 'Scopes that it is asked for.', scope),
  oidcUsernameClaims: list(
    'HEARTH_OIDC_USERNAME_CLAIMS',
    ['preferred_username', 'nickname'],
    'Claims that user names are made of: the first that somebody has.',
  ),
  oidcEmailClaim: text('HEARTH_OIDC_EMAIL_CLAIM', 'email', 'Claim that tells the e-mail address.'),
  oidcNameClaim: text('HEARTH_OIDC_NAME_CLAIM', 'name', 'Claim that tells the full name.'),
  oidcGroupsClaim: text('HEARTH_OIDC_GROUPS_CLAIM', 'groups', 'Claim that lists the groups somebody is in.'),
  oidcSignUp: toggle('HEARTH_OIDC_SIGN_UP', 'Make an account for whoever signs in for the first time.'),
  oidcApproval: toggle('HEARTH_OIDC_APPROVAL', 'Let such accounts wait until an administrator approves them.'),
  oidcLinkByEmail: toggle(
    'HEARTH_OIDC_LINK_BY_EMAIL',
    'Let people in to the account that has their address, where both sides have confirmed it.',
  ),
  oidcRequiredGroups: list('HEARTH_OIDC_REQUIRED_GROUPS', [], 'Groups of which one is needed to sign in.'),
  oidcAdminGroups: list(
    'HEARTH_OIDC_ADMIN_GROUPS',
    [],
    'Groups whose members are administrators, and nobody else of it.',
  ),
  oidcExternalGroups: list(
    'HEARTH_OIDC_EXTERNAL_GROUPS',
    [],
    'Groups whose members are external users, and nobody else of it.',
  ),
  oidcTrustSecondFactor: toggle(
    'HEARTH_OIDC_TRUST_SECOND_FACTOR',
    'Ask nobody for a code here who comes from the provider.',
  ),
  oidcAutoSignIn: toggle('HEARTH_OIDC_AUTO_SIGN_IN', 'Lead who has to sign in to the provider at once.'),
};

export type OneProvider = Readonly<Values<typeof oneProvider>>;

/** Mistakes that no setting of a provider shows by itself, each with the setting that has it. */
export function providerMistakes(settings: OneProvider): [keyof OneProvider, string][] {
  const { oidcIssuer, oidcClientId, oidcScopes } = settings;
  const found: [keyof OneProvider, string][] = [];
  if (oidcIssuer !== undefined && oidcClientId === '') found.push(['oidcClientId', 'needed beside the issuer']);
  if (!oidcScopes.includes('openid')) found.push(['oidcScopes', 'openid is always among them']);
  return found;
}

const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** In the clear anybody on the way could be anybody: only on the same machine. */
function issuer(given: string): string {
  const url = URL.parse(given);
  const isBare = url !== null && url.username === '' && url.search === '' && url.hash === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.test(url.hostname));
  // The library would take such an address as it is, and not compare who answers.
  if (!isBare || !isSafe || given.includes('/.well-known/')) {
    throw new BadValue('expected an address such as https://login.example.com/realms/main');
  }
  return given;
}

function provider(given: string): string {
  // Those of directories begin with ldap.
  if (!/^(?!ldap)[a-z][a-z0-9_-]{0,62}$/.test(given)) throw new BadValue('expected a name such as keycloak');
  return given;
}

function scope(given: string): string {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(given)) throw new BadValue('expected scopes such as openid,email');
  return given;
}
