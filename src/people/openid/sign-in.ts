import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import {
  type Browser,
  limitAttempts,
  type NewSession,
  type PendingSignIn,
  recordFailedSignIn,
  SignInRefused,
  signInAuthenticated,
} from '../sessions/public.ts';
import { connect, resolveAccount } from './account.ts';
import { isAdmitted, type ProviderUser, readPerson } from './claims.ts';
import { authorizationUrl, claimsFrom, Declined, ProviderFailed } from './client.ts';
import { claimFlow, type Flow, newFlow, readFlow, type SealedFlow, sealFlow } from './flow.ts';
import { offeredProviders, type Provider } from './provider.ts';

async function providerOf(services: Services, name: string): Promise<Provider> {
  const found = (await offeredProviders(services)).find((provider) => provider.name === name);
  if (!found) throw new SignInRefused('This sign-in provider is not available.');
  return found;
}

/** Redirect to a provider, with the flow to store in the browser. */
export interface ProviderRedirect {
  readonly kept: SealedFlow;
  readonly address: string;
  readonly label: string;
}

/** Redirects a browser to a provider, to sign in or to connect the account of a signed-in user. */
export async function redirectToProvider(
  services: Services,
  name: string,
  { wayBack, user }: { readonly wayBack: string; readonly user: User | null },
  browser: Browser,
): Promise<ProviderRedirect> {
  await limitAttempts(services, browser);
  const provider = await providerOf(services, name);
  const flow = newFlow(name, wayBack, user?.id ?? null);
  const address = await translateFailures(services, provider, () => authorizationUrl(services, provider, flow));
  return { kept: sealFlow(services, flow), address, label: provider.label };
}

/** The callback request from a provider. */
export interface CallbackRequest {
  /** The flow stored in the browser. */
  readonly kept: string | undefined;
  readonly query: URLSearchParams;
  /** The signed-in user, if any. */
  readonly user: User | null;
}

/** Result of a callback: signed in, waiting for the second factor, or connected. */
export interface CallbackResult {
  readonly wayBack: string;
  readonly entered: NewSession | PendingSignIn | 'connected';
}

/** Handles the callback of a provider. */
export async function handleCallback(
  services: Services,
  name: string,
  { kept, query, user }: CallbackRequest,
  browser: Browser,
): Promise<CallbackResult> {
  await limitAttempts(services, browser);
  const provider = await providerOf(services, name);
  const flow = readFlow(services, kept);
  if (!flow || !(await claimFlow(services, flow, name, query.get('state')))) {
    throw new SignInRefused('This sign-in was not started in this browser or has expired. Start again.');
  }
  const person = await personFrom(services, provider, flow, query, browser);
  const { wayBack } = flow;
  if (flow.userId === null) return { wayBack, entered: await enter(services, provider, person, browser) };
  if (user?.id !== flow.userId) throw new SignInRefused('You are no longer signed in as the user who started this.');
  await connect(services, provider, person, user);
  return { wayBack, entered: 'connected' };
}

async function personFrom(
  services: Services,
  provider: Provider,
  flow: Flow,
  query: URLSearchParams,
  browser: Browser,
): Promise<ProviderUser> {
  const claims = await translateFailures(services, provider, () => claimsFrom(services, provider, flow, query));
  const person = readPerson(claims, provider.claims);
  if (!person) throw new SignInRefused(`${provider.label} did not identify you.`);
  if (isAdmitted(person, provider)) return person;
  throw await recordFailedSignIn(
    services,
    loginAt(provider, person),
    browser,
    `You are not in a group at ${provider.label} that has access.`,
  );
}

/** Qualified by the provider, because the login may be the username of a different user here. */
const loginAt = ({ name }: Provider, { login }: ProviderUser) => `${name}:${login}`;

async function enter(services: Services, provider: Provider, person: ProviderUser, browser: Browser) {
  const user = await resolveAccount(services, provider, person).catch(async (error: unknown) => {
    throw error instanceof SignInRefused
      ? await recordFailedSignIn(services, loginAt(provider, person), browser, error.message)
      : error;
  });
  return signInAuthenticated(services, user, { asksForCode: !provider.trustSecondFactor }, browser);
}

/** Translates provider failures into messages for the user; details are logged. */
async function translateFailures<T>(services: Services, { name, label }: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Declined) throw new SignInRefused(`You declined the sign-in at ${label}.`);
    if (!(error instanceof ProviderFailed)) throw error;
    services.log.warn({ provider: name, err: error }, 'sign-in through a provider failed');
    throw new SignInRefused(
      `Sign-in through ${label} failed. Try again, or contact an administrator if this persists.`,
    );
  }
}
