import type { Services } from '../../access/services.ts';
import { certificatesIn, type OneSamlProvider } from '../../config/one-saml-provider.ts';
import { samlProvidersOf } from '../../config/saml-providers.ts';
import { perServer } from '../../platform/per-server.ts';
import type { SignInProvider } from '../sign-in-providers/public.ts';

/** A configured SAML provider. */
export interface SamlProvider extends SignInProvider {
  readonly ssoUrl: string;
  readonly idpEntityId: string;
  /** In PEM. */
  readonly certificates: readonly string[];
  /** Our entity ID. */
  readonly entityId: string;
  /** Our assertion consumer URL. */
  readonly consumer: string;
  readonly signed: OneSamlProvider['samlSigned'];
  readonly nameIdFormat: string;
  readonly uidAttribute: string | undefined;
  readonly attributes: {
    readonly username: readonly string[];
    readonly email: readonly string[];
    readonly name: readonly string[];
    readonly firstName: readonly string[];
    readonly lastName: readonly string[];
    readonly groups: readonly string[];
  };
  readonly idpInitiated: boolean;
}

function fromSettings({ externalUrl }: Services, one: OneSamlProvider): SamlProvider {
  const address = `${externalUrl}/users/auth/${one.samlProvider}`;
  return {
    protocol: 'saml',
    name: one.samlProvider,
    label: one.samlLabel ?? one.samlProvider,
    ssoUrl: one.samlSsoUrl ?? '',
    idpEntityId: one.samlIdpEntityId,
    certificates: one.samlCertificate === undefined ? [] : certificatesIn(one.samlCertificate),
    entityId: one.samlEntityId ?? `${address}/metadata`,
    consumer: `${address}/callback`,
    signed: one.samlSigned,
    nameIdFormat: one.samlNameIdFormat,
    uidAttribute: one.samlUidAttribute,
    attributes: {
      username: one.samlUsernameAttributes,
      email: one.samlEmailAttributes,
      name: one.samlNameAttributes,
      firstName: one.samlFirstNameAttributes,
      lastName: one.samlLastNameAttributes,
      groups: one.samlGroupsAttributes,
    },
    idpInitiated: one.samlIdpInitiated,
    signUp: one.samlSignUp,
    approval: one.samlApproval,
    linkByEmail: one.samlLinkByEmail,
    requiredGroups: one.samlRequiredGroups,
    adminGroups: one.samlAdminGroups,
    externalGroups: one.samlExternalGroups,
    trustSecondFactor: one.samlTrustSecondFactor,
    autoSignIn: one.samlAutoSignIn,
  };
}

/** The configured SAML providers. Certificates are read once, so a new one needs a restart. */
export const configuredSamlProviders = perServer((services: Services) =>
  samlProvidersOf(services.config).map((one) => fromSettings(services, one)),
);
