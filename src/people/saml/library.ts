import type { SamlProvider } from './provider.ts';

/** What the library needs to know of a provider; it is sent to a thread. */
export type ProviderFacts = Pick<
  SamlProvider,
  'ssoUrl' | 'idpEntityId' | 'certificates' | 'entityId' | 'consumer' | 'signed' | 'nameIdFormat'
>;

/**
 * Creates a client of the library, which is loaded on the first sign-in, because most servers have no provider. `id` is
 * that of the document to write.
 */
export async function samlClient(provider: ProviderFacts, id?: string) {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const { signed } = provider;
  return new SAML({
    entryPoint: provider.ssoUrl,
    issuer: provider.entityId,
    audience: provider.entityId,
    callbackUrl: provider.consumer,
    idpCert: [...provider.certificates],
    identifierFormat: provider.nameIdFormat,
    // How users prove who they are is for the provider to decide.
    disableRequestedAuthnContext: true,
    wantAuthnResponseSigned: signed === 'response' || signed === 'both',
    wantAssertionsSigned: signed === 'assertion' || signed === 'both',
    // The library would only look at the unsigned attribute of the response, and at periods that are there:
    // `readAssertion` does both.
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: -1,
    ...(id !== undefined && { generateUniqueId: () => id }),
  });
}
