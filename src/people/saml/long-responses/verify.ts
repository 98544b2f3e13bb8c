import { type Assertion, readAssertion } from '../assertion.ts';
import { type ProviderFacts, samlClient } from '../library.ts';
import { ResponseDenied, ResponseRefused } from '../refused.ts';
import { checkResponse } from '../response.ts';

/** A response to verify. */
export interface VerifyTask {
  readonly provider: ProviderFacts;
  readonly samlResponse: string;
  readonly now: number;
}

/** Its assertion, or why it cannot be accepted. */
export type VerifyResult = { readonly assertion: Assertion } | { readonly refused: string; readonly denied: boolean };

/** Verifies a response; called in the worker thread too. */
export async function verifyTask({ provider, samlResponse, now }: VerifyTask): Promise<VerifyResult> {
  try {
    const { idpEntityId: issuer, entityId: audience, consumer: recipient } = provider;
    const xml = decode(samlResponse);
    checkResponse(xml, recipient);
    const signed = await verify(provider, xml);
    return { assertion: readAssertion(signed, { issuer, audience, recipient, now }) };
  } catch (error) {
    if (!(error instanceof ResponseRefused)) throw error;
    return { refused: error.message, denied: error instanceof ResponseDenied };
  }
}

function decode(samlResponse: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(samlResponse, 'base64'));
  } catch (error) {
    throw new ResponseRefused('the response is not UTF-8', { cause: error });
  }
}

/** Returns exactly what was signed, never the document around it. */
async function verify(provider: ProviderFacts, xml: string): Promise<string> {
  const client = await samlClient(provider);
  try {
    // The library reads what has been checked, however the response was encoded.
    const { profile } = await client.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    const signed = profile?.getAssertionXml?.();
    if (signed !== undefined) return signed;
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 400) : 'unknown';
    throw new ResponseRefused(`the signature could not be verified: ${reason}`);
  }
  throw new ResponseRefused('the response contains no signed assertion');
}
