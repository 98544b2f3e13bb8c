import { Declined, type Flow, ProviderFailed } from '../sign-in-providers/public.ts';
import type { Assertion } from './assertion.ts';
import { samlClient } from './library.ts';
import { verifyResponse } from './long-responses/read.ts';
import type { SamlProvider } from './provider.ts';

/** The ID of our request; an XML ID must not begin with a digit. */
export const requestId = ({ state }: Pick<Flow, 'state'>): string => `_${state}`;

/** The state of the flow that a response belongs to. */
export const stateOf = (inResponseTo: string): string => inResponseTo.replace(/^_/, '');

/** Returns the URL at the provider, with our request. */
export async function authnRequestUrl(provider: SamlProvider, flow: Flow): Promise<string> {
  const client = await samlClient(provider, requestId(flow));
  return client.getAuthorizeUrlAsync('', undefined, {});
}

/** Returns our metadata, with which a provider can be configured. */
export async function metadataOf(provider: SamlProvider): Promise<string> {
  const client = await samlClient(provider, '_metadata');
  return client.generateServiceProviderMetadata(null);
}

/** Returns the assertion of a response, if the provider signed it for us. */
export async function assertionFrom(provider: SamlProvider, samlResponse: string, now: number): Promise<Assertion> {
  const { ssoUrl, idpEntityId, certificates, entityId, consumer, signed, nameIdFormat } = provider;
  const facts = { ssoUrl, idpEntityId, certificates, entityId, consumer, signed, nameIdFormat };
  const result = await verifyResponse({ provider: facts, samlResponse, now });
  if ('assertion' in result) return result.assertion;
  throw result.denied ? new Declined(result.refused) : new ProviderFailed(result.refused);
}
