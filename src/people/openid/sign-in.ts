import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import {
  type Begun,
  type Browser,
  countAttempt,
  enterProven,
  type Halfway,
  refused,
  SignInRefused,
} from '../sessions/public.ts';
import { accountOf, connect } from './account.ts';
import { isAdmitted, type Person, readPerson } from './claims.ts';
import { addressFor, claimsFrom, Declined, ProviderFailed } from './client.ts';
import { claimFlow, type Flow, type KeptFlow, keepFlow, newFlow, readFlow } from './flow.ts';
import { offeredProviders, type Provider } from './provider.ts';

async function providerOf(services: Services, name: string): Promise<Provider> {
  const found = (await offeredProviders(services)).find((provider) => provider.name === name);
  if (!found) throw new SignInRefused('Nobody signs in through that here.');
  return found;
}

/** A way to a provider: the browser keeps the one and goes to the other. */
export interface Departure {
  readonly kept: KeptFlow;
  readonly address: string;
  readonly label: string;
}

/** Sends a browser to a provider, to sign in or, as somebody who has, to connect their account. */
export async function depart(
  services: Services,
  name: string,
  { wayBack, user }: { readonly wayBack: string; readonly user: User | null },
  browser: Browser,
): Promise<Departure> {
  await countAttempt(services, browser);
  const provider = await providerOf(services, name);
  const flow = newFlow(name, wayBack, user?.id ?? null);
  const address = await told(services, provider, () => addressFor(services, provider, flow));
  return { kept: keepFlow(services, flow), address, label: provider.label };
}

/** What the browser has come back with. */
export interface Answer {
  /** The flow that it kept. */
  readonly kept: string | undefined;
  readonly query: URLSearchParams;
  /** Who is signed in with it. */
  readonly user: User | null;
}

/** What became of it: somebody is in, or on the way to the code, or has connected their account. */
export interface Arrived {
  readonly wayBack: string;
  readonly entered: Begun | Halfway | 'connected';
}

/** Lets in whom a provider sends back. */
export async function arrive(
  services: Services,
  name: string,
  { kept, query, user }: Answer,
  browser: Browser,
): Promise<Arrived> {
  await countAttempt(services, browser);
  const provider = await providerOf(services, name);
  const flow = readFlow(services, kept);
  if (!flow || !(await claimFlow(services, flow, name, query.get('state')))) {
    throw new SignInRefused('This sign-in was not begun in this browser, or was some time ago. Begin it again.');
  }
  const person = await personFrom(services, provider, flow, query, browser);
  const { wayBack } = flow;
  if (flow.userId === null) return { wayBack, entered: await enter(services, provider, person, browser) };
  if (user?.id !== flow.userId) throw new SignInRefused('You are no longer signed in as who began this.');
  await connect(services, provider, person, user);
  return { wayBack, entered: 'connected' };
}

async function personFrom(
  services: Services,
  provider: Provider,
  flow: Flow,
  query: URLSearchParams,
  browser: Browser,
): Promise<Person> {
  const claims = await told(services, provider, () => claimsFrom(services, provider, flow, query));
  const person = readPerson(claims, provider.claims);
  if (!person) throw new SignInRefused(`${provider.label} did not say who you are.`);
  if (isAdmitted(person, provider)) return person;
  throw await refused(
    services,
    loginAt(provider, person),
    browser,
    `You are in no group at ${provider.label} that is let in here.`,
  );
}

/** What a provider's people are called there may be the name of somebody else here. */
const loginAt = ({ name }: Provider, { login }: Person) => `${name}:${login}`;

async function enter(services: Services, provider: Provider, person: Person, browser: Browser) {
  const user = await accountOf(services, provider, person).catch(async (error: unknown) => {
    throw error instanceof SignInRefused
      ? await refused(services, loginAt(provider, person), browser, error.message)
      : error;
  });
  return enterProven(services, user, { asksForCode: !provider.trustSecondFactor }, browser);
}

/** Says what went wrong at a provider in words for who signs in; the log has the rest. */
async function told<T>(services: Services, { name, label }: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Declined) throw new SignInRefused(`${label} was told not to let you in here.`);
    if (!(error instanceof ProviderFailed)) throw error;
    services.log.warn({ provider: name, err: error }, 'a sign-in through a provider failed');
    throw new SignInRefused(`${label} does not answer as it should. Try again; if it stays so, tell an administrator.`);
  }
}
