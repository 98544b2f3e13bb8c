import { Type } from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findTokenById, findUser, isExpired } from '../../../access/credentials/identify.ts';
import { jobCredential } from '../../../access/credentials/job-tokens.ts';
import type { Services } from '../../../access/services.ts';
import { sealedJson } from '../../../platform/secrets/sealed-json.ts';
import { jobById, statusOf } from '../../jobs/public.ts';
import { executing } from '../../states/public.ts';
import type { Action } from './rights.ts';

const optionalNumber = Type.Optional(Type.Number());
const action = Type.Union([Type.Literal('pull'), Type.Literal('push'), Type.Literal('delete')]);
const tokens = sealedJson(
  'registry.token',
  Type.Object({
    /** IDs of the user, access token, running job or deploy token; all absent for anonymous access. */
    u: optionalNumber,
    a: optionalNumber,
    j: optionalNumber,
    d: optionalNumber,
    /** How the actor authenticated, and the scopes of that credential. */
    c: Type.Union([
      Type.Literal('none'),
      Type.Literal('token'),
      Type.Literal('job'),
      Type.Literal('password'),
      Type.Literal('deploy-token'),
    ]),
    s: Type.Array(Type.String()),
    /** Granted actions by repository name. */
    g: Type.Record(Type.String(), Type.Array(action)),
    /** Expiry time in milliseconds. */
    x: Type.Number(),
  }),
);

/** Granted actions by repository name. */
export type Grants = Readonly<Record<string, readonly Action[]>>;

const carriers = ['none', 'token', 'job', 'password', 'deploy-token'] as const;

/** Issues a registry token with the granted actions. */
export function issueRegistryToken(services: Services, actor: Actor, granted: Grants, until: number): string {
  const carrier = carriers.find((one) => one === actor.carrier) ?? 'none';
  return tokens.seal(services.encryption, {
    ...(actor.user ? { u: actor.user.id } : {}),
    ...(actor.token ? { a: actor.token.id } : {}),
    ...(actor.job ? { j: actor.job.id } : {}),
    ...(actor.deploy ? { d: actor.deploy.id } : {}),
    c: carrier,
    s: [...actor.scopes],
    g: Object.fromEntries(Object.entries(granted).map(([name, actions]) => [name, [...actions]])),
    x: until,
  });
}

/**
 * Decodes a registry token. Returns undefined if it is invalid or expired, or if the credential it was issued for is no
 * longer valid: a revoked token or a lost role ends access immediately.
 */
export async function readRegistryToken(
  services: Services,
  plain: string,
  ip: string,
): Promise<{ actor: Actor; granted: Grants } | undefined> {
  const claims = tokens.open(services.encryption, plain);
  if (!claims || claims.x <= Date.now()) return undefined;
  const { read } = services.db;
  const base = { carrier: claims.c, scopes: new Set(claims.s), ip };
  const granted = claims.g;
  if (claims.d !== undefined) {
    const deploy = { id: claims.d, projectIds: new Set<number>(), canPush: false };
    return { actor: { ...base, user: null, deploy }, granted };
  }
  if (claims.u === undefined) return claims.c === 'none' ? { actor: { ...base, user: null }, granted } : undefined;
  const user = await findUser(read, claims.u);
  if (!user || accountRefusal(user, services.externalUrl) !== undefined) return undefined;
  if (claims.j !== undefined) {
    const job = await jobById(read, claims.j);
    if (!job || !executing.has(statusOf(job))) return undefined;
    return { actor: { ...base, user, job: await jobCredential(services, job) }, granted };
  }
  const token = claims.a === undefined ? undefined : await findTokenById(read, claims.a);
  if (claims.a !== undefined && (!token || token.revoked === 1 || isExpired(token))) return undefined;
  return { actor: { ...base, user, ...(token ? { token } : {}) }, granted };
}
