import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
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
  translateFailures,
} from '../sign-in-providers/public.ts';
import { readPerson } from './claims.ts';
import { authorizationUrl, claimsFrom } from './client.ts';
import { openidProviders } from './provider.ts';

export const offeredOpenidProviders = (services: Services): OfferedProvider[] =>
  openidProviders(services).map((provider) => ({
    ...provider,
    addressFor: (flow) => authorizationUrl(services, provider, flow),
  }));

/** The callback request from a provider. */
export interface CallbackRequest {
  /** The flow stored in the browser. */
  readonly kept: string | undefined;
  readonly query: URLSearchParams;
  /** The signed-in user, if any. */
  readonly user: User | null;
}

/** Handles the callback of a provider. */
export async function handleCallback(
  services: Services,
  name: string,
  { kept, query, user }: CallbackRequest,
  browser: Browser,
): Promise<ProviderSignIn> {
  await limitAttempts(services, browser);
  const provider = named(await enabledAmong(services, openidProviders(services)), name);
  const flow = readFlow(services, kept);
  if (!flow || !(await claimFlow(services, flow, name, query.get('state')))) throw notStartedHere();
  const claims = await translateFailures(services, provider, () => claimsFrom(services, provider, flow, query));
  const person = readPerson(claims, provider.claims);
  if (!person) throw new SignInRefused(`${provider.label} did not identify you.`);
  return completeSignIn(services, provider, { person, flow, user }, browser);
}
