import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { type Browser, limitAttempts, SignInRefused } from '../sessions/public.ts';
import {
  claimFlow,
  completeSignIn,
  enabledAmong,
  named,
  notStartedHere,
  type OfferedProvider,
  type ProviderSignIn,
  readFlow,
  spend,
  translateFailures,
} from '../sign-in-providers/public.ts';
import type { Assertion } from './assertion.ts';
import { assertionFrom, authnRequestUrl, metadataOf, stateOf } from './client.ts';
import { readPerson } from './person.ts';
import { configuredSamlProviders, type SamlProvider } from './provider.ts';
import { insertArrival, takeArrival } from './store.ts';

const minutes = 2 * 60_000;

const Content = Type.Object({
  provider: Type.String(),
  /** State of the flow it belongs to; null for a sign-in that began at the provider. */
  state: Type.Union([Type.String(), Type.Null()]),
  relayState: Type.String(),
  person: Type.Object({
    uid: Type.String(),
    login: Type.String(),
    name: Type.String(),
    email: Type.Optional(Type.String()),
    groups: Type.Array(Type.String()),
  }),
});
const readContent = storedJson(Content);

export const offeredSamlProviders = (services: Services): OfferedProvider[] =>
  configuredSamlProviders(services).map((provider) => ({
    ...provider,
    addressFor: (flow) => authnRequestUrl(provider, flow),
  }));

const enabled = async (services: Services, name: string): Promise<SamlProvider> =>
  named(await enabledAmong(services, configuredSamlProviders(services)), name);

/** Returns our metadata for a provider; undefined if there is none with this name. */
export async function samlMetadata(services: Services, name: string): Promise<string | undefined> {
  const provider = configuredSamlProviders(services).find((one) => one.name === name);
  return provider && metadataOf(provider);
}

/** The form that the provider's page sends to the assertion consumer. */
export interface SentResponse {
  readonly samlResponse: string;
  readonly relayState: string;
}

/**
 * Verifies a response and returns a ticket for completing the sign-in. The form comes from the provider's site, so the
 * browser sends none of our cookies with it: only the page that it is redirected to knows who is there.
 */
export async function receiveResponse(
  services: Services,
  name: string,
  { samlResponse, relayState }: SentResponse,
  browser: Browser,
): Promise<string> {
  await limitAttempts(services, browser);
  const provider = await enabled(services, name);
  const now = Date.now();
  const assertion = await translateFailures(services, provider, () => assertionFrom(provider, samlResponse, now));
  const person = readPerson(assertion, provider);
  if (!person) throw new SignInRefused(`${provider.label} did not identify you.`);
  const { inResponseTo } = assertion;
  if (inResponseTo === undefined && !provider.idpInitiated) throw notStartedHere();
  const { emailVerified: _, email, ...rest } = person;
  const content = {
    provider: name,
    state: inResponseTo === undefined ? null : stateOf(inResponseTo),
    relayState: relayState.slice(0, 2000),
    person: { ...rest, ...(email !== undefined && { email }) },
  };
  const ticket = randomToken(43);
  await services.db.write(async (trx) => {
    if (!(await spend(trx, digestOf(provider, assertion), assertion.until))) throw notStartedHere();
    await insertArrival(trx, {
      digest: digest(ticket),
      content: JSON.stringify(content),
      expires_at: now + minutes,
    });
  });
  return ticket;
}

const digestOf = ({ name }: SamlProvider, { id }: Assertion) => digest(`saml ${name} ${id}`);

/** The request that the browser is redirected to. */
export interface TicketRequest {
  readonly ticket: string;
  /** The flow stored in the browser. */
  readonly kept: string | undefined;
  /** The signed-in user, if any. */
  readonly user: User | null;
}

/** Completes a sign-in in the browser that started it. */
export async function completeResponse(
  services: Services,
  name: string,
  { ticket, kept, user }: TicketRequest,
  browser: Browser,
): Promise<ProviderSignIn> {
  const provider = await enabled(services, name);
  const stored = await services.db.write((trx) => takeArrival(trx, digest(ticket), Date.now()));
  const arrival = stored === undefined ? undefined : readContent(stored);
  if (arrival?.provider !== name) throw notStartedHere();
  const { state, relayState } = arrival;
  const { email, ...rest } = arrival.person;
  const person = { ...rest, email, emailVerified: true };
  if (state === null) {
    const flow = { userId: null, wayBack: relayState };
    return completeSignIn(services, provider, { person, flow, user }, browser);
  }
  const flow = readFlow(services, kept);
  if (!flow || !(await claimFlow(services, flow, name, state))) throw notStartedHere();
  return completeSignIn(services, provider, { person, flow, user }, browser);
}
