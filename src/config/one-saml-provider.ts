import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificateFile } from './certificate-file.ts';
import { BadValue, choice, list, text, toggle, type Values } from './setting.ts';

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** Settings of one SAML identity provider. */
export const oneSamlProvider = {
  samlSsoUrl: text('HEARTH_SAML_SSO_URL', undefined, 'Single sign-on URL of the SAML provider (HTTP-Redirect).', sso),
  samlIdpEntityId: text('HEARTH_SAML_IDP_ENTITY_ID', '', 'Entity ID (issuer) of the provider.'),
  samlCertificate: text(
    'HEARTH_SAML_CERTIFICATE',
    undefined,
    'Signing certificates (PEM file) of the provider; several while it changes its key.',
    signingCertificates,
  ),
  samlEntityId: text(
    'HEARTH_SAML_ENTITY_ID',
    undefined,
    'Entity ID of this server at the provider; by default, the URL of its metadata, /users/auth/NAME/metadata.',
  ),
  samlProvider: text(
    'HEARTH_SAML_PROVIDER',
    'saml',
    'Provider name in identities and in the assertion consumer URL, /users/auth/NAME/callback.',
    provider,
  ),
  samlLabel: text('HEARTH_SAML_LABEL', undefined, 'Label of the sign-in button; by default, the name.'),
  samlSigned: choice('HEARTH_SAML_SIGNED', 'either', 'What the provider must sign.', [
    'either',
    'assertion',
    'response',
    'both',
  ]),
  samlNameIdFormat: text('HEARTH_SAML_NAME_ID_FORMAT', persistent, 'Requested NameID format.'),
  samlUidAttribute: text(
    'HEARTH_SAML_UID_ATTRIBUTE',
    undefined,
    'Attribute that identifies users; by default, the NameID.',
  ),
  samlUsernameAttributes: list(
    'HEARTH_SAML_USERNAME_ATTRIBUTES',
    ['username', 'nickname', 'uid', 'urn:oid:0.9.2342.19200300.100.1.1'],
    'Attributes for the username, in order of preference.',
  ),
  samlEmailAttributes: list(
    'HEARTH_SAML_EMAIL_ATTRIBUTES',
    ['email', 'mail', `${claims}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3'],
    'Attributes for the email address.',
  ),
  samlNameAttributes: list(
    'HEARTH_SAML_NAME_ATTRIBUTES',
    ['name', 'displayName', 'http://schemas.microsoft.com/identity/claims/displayname'],
    'Attributes for the full name.',
  ),
  samlFirstNameAttributes: list(
    'HEARTH_SAML_FIRST_NAME_ATTRIBUTES',
    ['first_name', 'firstname', 'firstName', `${claims}/givenname`, 'urn:oid:2.5.4.42'],
    'Attributes for the first name, if there is no full name.',
  ),
  samlLastNameAttributes: list(
    'HEARTH_SAML_LAST_NAME_ATTRIBUTES',
    ['last_name', 'lastname', 'lastName', `${claims}/surname`, 'urn:oid:2.5.4.4'],
    'Attributes for the last name, if there is no full name.',
  ),
  samlGroupsAttributes: list(
    'HEARTH_SAML_GROUPS_ATTRIBUTES',
    ['groups', 'Groups', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'],
    'Attributes with groups.',
  ),
  samlSignUp: toggle('HEARTH_SAML_SIGN_UP', 'Create accounts at the first sign-in.'),
  samlApproval: toggle('HEARTH_SAML_APPROVAL', 'Require approval by an administrator for such accounts.'),
  samlLinkByEmail: toggle(
    'HEARTH_SAML_LINK_BY_EMAIL',
    'Link to an existing account with the same confirmed email address; only if users cannot change theirs at the provider.',
  ),
  samlRequiredGroups: list('HEARTH_SAML_REQUIRED_GROUPS', [], 'Groups that may sign in; members of any of them.'),
  samlAdminGroups: list(
    'HEARTH_SAML_ADMIN_GROUPS',
    [],
    'Groups whose members are administrators; other users of the provider are not.',
  ),
  samlExternalGroups: list(
    'HEARTH_SAML_EXTERNAL_GROUPS',
    [],
    'Groups whose members are external users; other users of the provider are not.',
  ),
  samlTrustSecondFactor: toggle(
    'HEARTH_SAML_TRUST_SECOND_FACTOR',
    'Do not ask for a second factor after sign-in at the provider.',
  ),
  samlAutoSignIn: toggle('HEARTH_SAML_AUTO_SIGN_IN', 'Redirect from the sign-in page to the provider.'),
  samlIdpInitiated: toggle(
    'HEARTH_SAML_IDP_INITIATED',
    'Accept sign-ins that start at the provider, such as from its portal.',
  ),
};

export type OneSamlProvider = Readonly<Values<typeof oneSamlProvider>>;

/** Returns mistakes in the combination of provider settings, each with the setting it concerns. */
export function samlProviderMistakes(settings: OneSamlProvider): [keyof OneSamlProvider, string][] {
  const { samlSsoUrl, samlIdpEntityId, samlCertificate } = settings;
  if (samlSsoUrl === undefined) return [];
  const found: [keyof OneSamlProvider, string][] = [];
  if (samlIdpEntityId === '') found.push(['samlIdpEntityId', 'needed with the single sign-on URL']);
  if (samlCertificate === undefined) found.push(['samlCertificate', 'needed with the single sign-on URL']);
  return found;
}

/** Returns the certificates of a file, each in PEM. */
export const certificatesIn = (path: string): string[] =>
  readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

function signingCertificates(path: string): string {
  const absolute = certificateFile(path);
  const kinds = certificatesIn(absolute).map((pem) => new X509Certificate(pem).publicKey.asymmetricKeyType);
  // The library that verifies signatures knows RSA only: better to learn that now than at the first sign-in.
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'rsa')) {
    throw new BadValue('expected a file with RSA certificates in PEM');
  }
  return absolute;
}

/** The user's browser is sent there, with nothing secret, but must not be led astray on the way. */
function sso(value: string): string {
  const url = URL.parse(value);
  const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine);
  if (!isSafe || url?.username !== '' || url.hash !== '') {
    throw new BadValue('expected an address such as https://login.example.com/saml/sso');
  }
  return value;
}

function provider(value: string): string {
  // Names of LDAP providers start with ldap.
  if (!/^(?!ldap)[a-z][a-z0-9_-]{0,62}$/.test(value)) throw new BadValue('expected a name such as okta');
  return value;
}
