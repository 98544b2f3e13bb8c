import { randomBytes } from 'node:crypto';
import { readScopes } from '../../access/credentials/scopes.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { newSecret } from './applications.ts';
import { OAuthError, wrongClient, wrongGrant, wrongScope } from './errors.ts';
import { readUserCode, scopesFor, userCodeFrom } from './rules.ts';
import * as store from './store.ts';
import type { OAuthApplication, OAuthDevice } from './tables.ts';

const life = 300_000;
const interval = 5000;
const codeLength = 8;

const beginnings = { count: 60, period: 60_000 };

/** `POST /oauth/authorize_device`: starts a device authorization, which a user confirms in another browser. */
export async function beginDevice(services: Services, clientId: string, scope: string | undefined, ip: string) {
  const { db, externalUrl, limits } = services;
  // The caller is unauthenticated and each request inserts a row.
  if ((await limits.count('oauth_device_begun', ip, beginnings)).exceeded)
    throw new OAuthError('temporarily_unavailable', 'Too many attempts from your address. Wait a minute.');
  const application = await store.applicationByUid(db.read, clientId);
  if (!application) throw wrongClient();
  const scopes = scopesFor(scope, readScopes(application.scopes));
  if (!scopes) throw wrongScope();
  const [code, userCode] = [newSecret(), userCodeFrom(randomBytes(codeLength))];
  const now = Date.now();
  await db.write((trx) =>
    store.insertDevice(trx, {
      application_id: application.id,
      user_id: null,
      digest: digest(code),
      user_code: userCode,
      scopes: JSON.stringify(scopes),
      denied: 0,
      polled_at: null,
      created_at: now,
      expires_at: now + life,
    }),
  );
  const page = `${externalUrl}/oauth/device`;
  return {
    device_code: code,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: life / 1000,
    interval: interval / 1000,
  };
}

/** Returns the approved authorization of a device; throws while it is pending. */
export async function pollDevice(
  { db }: Services,
  application: OAuthApplication,
  code: string,
): Promise<{ id: number; userId: number; scopes: string }> {
  const device = await store.deviceByDigest(db.read, digest(code));
  if (!device || device.application_id !== application.id) throw wrongGrant();
  const now = Date.now();
  if (device.expires_at <= now) throw new OAuthError('expired_token', 'The device code has expired.');
  if (device.denied === 1) throw new OAuthError('access_denied', 'The resource owner denied the request.');
  if (device.user_id !== null) return { id: device.id, userId: device.user_id, scopes: device.scopes };
  await db.write((trx) => store.recordPoll(trx, device.id, now));
  const tooSoon = device.polled_at !== null && now - device.polled_at < interval;
  throw tooSoon
    ? new OAuthError('slow_down', 'Poll less frequently.')
    : new OAuthError('authorization_pending', 'The authorization is still pending.');
}

const attempts = { count: 20, period: 60_000 };

/** Returns the device waiting with the user code entered, and what it requests; attempts are rate-limited. */
export async function waitingDevice({ db, limits }: Services, user: User, typed: string) {
  if ((await limits.count('oauth_device', user.id, attempts)).exceeded)
    throw new OAuthError('temporarily_unavailable', 'Too many attempts. Wait a minute.');
  const device = await store.deviceByUserCode(db.read, readUserCode(typed), Date.now());
  const application = device && (await store.applicationById(db.read, device.application_id));
  return application && { device, application, scopes: readScopes(device.scopes) };
}

/** Returns whether the answer was recorded. */
export async function answerDevice(
  { db }: Services,
  user: User,
  device: OAuthDevice,
  agrees: boolean,
): Promise<boolean> {
  return db.write((trx) => store.answerDevice(trx, device.id, agrees ? { user_id: user.id } : { denied: 1 }));
}
