import { type Flow, ProviderFailed } from '../sign-in-providers/public.ts';
import { type Assertion, readAssertion } from './assertion.ts';
import type { SamlProvider } from './provider.ts';
import { checkResponse } from './response.ts';

// Loaded on the first sign-in, because most servers have no provider.
const library = () => import('@node-saml/node-saml');

/** The ID of our request; an XML ID must not begin with a digit. */
export const requestId = ({ state }: Pick<Flow, 'state'>): string => `_${state}`;

/** The state of the flow that a response belongs to. */
export const stateOf = (inResponseTo: string): string => inResponseTo.replace(/^_/, '');

async function clientOf(provider: SamlProvider, id?: string) {
  const { SAML, ValidateInResponseTo } = await library();
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
    // The library would only look at the unsigned attribute of the response. Flows are checked after `readAssertion`.
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: -1,
    ...(id !== undefined && { generateUniqueId: () => id }),
  });
}

/** Returns the URL at the provider, with our request. */
export async function authnRequestUrl(provider: SamlProvider, flow: Flow): Promise<string> {
  const client = await clientOf(provider, requestId(flow));
  return client.getAuthorizeUrlAsync('', undefined, {});
}

/** Returns our metadata, with which a provider can be configured. */
export async function metadataOf(provider: SamlProvider): Promise<string> {
  const client = await clientOf(provider, '_metadata');
  return client.generateServiceProviderMetadata(null);
}

/** Returns the assertion of a response, if the provider signed it for us. */
export async function assertionFrom(provider: SamlProvider, samlResponse: string, now: number): Promise<Assertion> {
  const xml = decode(samlResponse);
  checkResponse(xml, provider.consumer);
  const signed = await verify(provider, xml);
  const { idpEntityId: issuer, entityId: audience, consumer: recipient } = provider;
  return readAssertion(signed, { issuer, audience, recipient, now });
}

function decode(samlResponse: string): string {
  const bytes = Buffer.from(samlResponse, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ProviderFailed('the response is not UTF-8', { cause: error });
  }
}

/** Returns exactly what was signed, never the document around it. */
async function verify(provider: SamlProvider, xml: string): Promise<string> {
  const client = await clientOf(provider);
  try {
    // The library reads what has been checked, however the response was encoded.
    const { profile } = await client.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    const signed = profile?.getAssertionXml?.();
    if (signed !== undefined) return signed;
  } catch (error) {
    throw new ProviderFailed('the signature could not be verified', { cause: error });
  }
  throw new ProviderFailed('the response contains no signed assertion');
}
