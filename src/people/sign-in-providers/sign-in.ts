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
import { type Flow, newFlow, type SealedFlow, sealFlow } from './flow.ts';
import { isAdmitted, type ProviderUser } from './person.ts';
import { offeredProviders, type SignInProvider } from './provider.ts';

/** The provider failed, or its response could not be verified; the cause is logged. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
}

/** The user declined at the provider. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** Returns the provider with a name. */
export function named<One extends { readonly name: string }>(providers: readonly One[], name: string): One {
  const found = providers.find((provider) => provider.name === name);
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
  const provider = named(await offeredProviders(services), name);
  const flow = newFlow(name, wayBack, user?.id ?? null);
  const address = await translateFailures(services, provider, () => provider.addressFor(flow));
  return { kept: sealFlow(services, flow), address, label: provider.label };
}

/** Result of a sign-in through a provider: signed in, waiting for the second factor, or connected. */
export interface ProviderSignIn {
  readonly wayBack: string;
  readonly entered: NewSession | PendingSignIn | 'connected';
}

/** Who came back from a provider, and to what. */
export interface Return {
  readonly person: ProviderUser;
  readonly flow: Pick<Flow, 'userId' | 'wayBack'>;
  /** The signed-in user, if any. */
  readonly user: User | null;
}

/** Signs in the user whom a provider authenticated, or connects the account of the user who started this. */
export async function completeSignIn(
  services: Services,
  provider: SignInProvider,
  { person, flow, user }: Return,
  browser: Browser,
): Promise<ProviderSignIn> {
  const { wayBack } = flow;
  if (!isAdmitted(person, provider)) {
    const reason = `You are not in a group at ${provider.label} that has access.`;
    throw await recordFailedSignIn(services, loginAt(provider, person), browser, reason);
  }
  if (flow.userId === null) return { wayBack, entered: await enter(services, provider, person, browser) };
  if (user?.id !== flow.userId) throw new SignInRefused('You are no longer signed in as the user who started this.');
  await connect(services, provider, person, user);
  return { wayBack, entered: 'connected' };
}

/** Qualified by the provider, because the login may be the username of a different user here. */
const loginAt = ({ name }: SignInProvider, { login }: ProviderUser) => `${name}:${login}`;

async function enter(services: Services, provider: SignInProvider, person: ProviderUser, browser: Browser) {
  const user = await resolveAccount(services, provider, person).catch(async (error: unknown) => {
    throw error instanceof SignInRefused
      ? await recordFailedSignIn(services, loginAt(provider, person), browser, error.message)
      : error;
  });
  return signInAuthenticated(services, user, { asksForCode: !provider.trustSecondFactor }, browser);
}

/** Translates provider failures into messages for the user; details are logged. */
export async function translateFailures<T>(
  services: Services,
  { name, label }: Pick<SignInProvider, 'name' | 'label'>,
  work: () => Promise<T>,
): Promise<T> {
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

/** The response does not belong to a sign-in in this browser. */
export const notStartedHere = () =>
  new SignInRefused('This sign-in was not started in this browser or has expired. Start again.');
