import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import { spend } from './store.ts';

const minutes = 10 * 60_000;
const longestWayBack = 1500;

const Shape = Type.Object({
  provider: Type.String(),
  /** Comes back with the provider's response. */
  state: Type.String(),
  /** OpenID Connect only, like the PKCE code verifier. */
  nonce: Type.String(),
  verifier: Type.String(),
  /** URL to return to. */
  wayBack: Type.String(),
  /** The user connecting their account; null for a sign-in. */
  userId: Type.Union([Type.Integer(), Type.Null()]),
  until: Type.Integer(),
});

const sealed = sealedJson('openid.flow', Shape);

/** A sign-in in progress at a provider, stored in the browser so that a response is useless in another one. */
export type Flow = Type.Static<typeof Shape>;

/** The sealed flow for the browser's cookie, and its expiry. */
export interface SealedFlow {
  readonly sealed: string;
  readonly until: number;
}

export function newFlow(provider: string, wayBack: string, userId: number | null): Flow {
  return {
    provider,
    state: randomToken(43),
    nonce: randomToken(43),
    verifier: randomToken(64),
    // A cookie is limited to 4 KB.
    wayBack: wayBack.length > longestWayBack ? '' : wayBack,
    userId,
    until: Date.now() + minutes,
  };
}

export const sealFlow = ({ encryption }: Services, flow: Flow): SealedFlow => ({
  sealed: sealed.seal(encryption, flow),
  until: flow.until,
});

/** Returns the flow in progress in this browser; undefined if it expired. */
export function readFlow({ encryption }: Services, kept: string | undefined): Flow | undefined {
  const flow = kept === undefined ? undefined : sealed.open(encryption, kept);
  return flow && flow.until > Date.now() ? flow : undefined;
}

/** Whether this is the first response to the request that the browser sent to this provider. */
export async function claimFlow(
  { db }: Services,
  flow: Flow,
  provider: string,
  state: string | null,
): Promise<boolean> {
  if (flow.provider !== provider || state === null || !safeEqual(flow.state, state)) return false;
  return db.write((trx) => spend(trx, digest(flow.state), flow.until));
}
