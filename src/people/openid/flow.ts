import Type from 'typebox';
import type { Services } from '../../access/services.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import { spendFlow } from './store.ts';

const minutes = 10 * 60_000;
const longestWayBack = 1500;

const Shape = Type.Object({
  provider: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  /** What the code is worth nothing without. */
  verifier: Type.String(),
  /** Where to go afterwards. */
  wayBack: Type.String(),
  /** Who connects their account; null for who signs in. */
  userId: Type.Union([Type.Integer(), Type.Null()]),
  until: Type.Integer(),
});

const sealed = sealedJson('openid.flow', Shape);

/** A sign-in on its way through a provider. The browser keeps it: what comes back from the provider is worth nothing to another one. */
export type Flow = Type.Static<typeof Shape>;

/** What the browser is to keep, and until when. */
export interface KeptFlow {
  readonly sealed: string;
  readonly until: number;
}

export function newFlow(provider: string, wayBack: string, userId: number | null): Flow {
  return {
    provider,
    state: randomToken(43),
    nonce: randomToken(43),
    verifier: randomToken(64),
    // A cookie holds four kilobytes.
    wayBack: wayBack.length > longestWayBack ? '' : wayBack,
    userId,
    until: Date.now() + minutes,
  };
}

export const keepFlow = ({ encryption }: Services, flow: Flow): KeptFlow => ({
  sealed: sealed.seal(encryption, flow),
  until: flow.until,
});

/** What this browser has on its way through a provider; undefined where that is over. */
export function readFlow({ encryption }: Services, kept: string | undefined): Flow | undefined {
  const flow = kept === undefined ? undefined : sealed.open(encryption, kept);
  return flow && flow.until > Date.now() ? flow : undefined;
}

/** Is this the answer to what the browser has asked that provider, and the first one? */
export async function claimFlow(
  { db }: Services,
  flow: Flow,
  provider: string,
  state: string | null,
): Promise<boolean> {
  if (flow.provider !== provider || state === null || !safeEqual(flow.state, state)) return false;
  return db.write((trx) => spendFlow(trx, digest(flow.state), flow.until));
}
