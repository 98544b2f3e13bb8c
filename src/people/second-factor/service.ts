import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { passwordLock } from '../../access/application-settings/effective.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { sealedJson } from '../../platform/secrets/sealed-json.ts';
import { changeUser } from '../users/public.ts';
import { codeDigest, newRecoveryCodes, plainCode } from './recovery-codes.ts';
import * as store from './store.ts';
import { matchingStep } from './totp.ts';

// The user id is part of the sealed value, so that a row copied to another account is useless.
const sealedKey = sealedJson('second_factors.key', Type.Object({ userId: Type.Integer(), key: Type.String() }));
const keyBytes = 20;

/** Generates a TOTP key. */
export const newKey = (): Buffer => randomBytes(keyBytes);

/**
 * Enables two-factor authentication for an account whose row is locked; returns recovery codes, or undefined if the
 * code does not match the key.
 */
export async function enableFactor(
  services: Services,
  trx: Writer,
  user: User,
  { key, code }: { readonly key: Buffer; readonly code: string },
): Promise<string[] | undefined> {
  const now = Date.now();
  const step = matchingStep(key, plainCode(code), now, 0);
  if (step === undefined) return undefined;
  const encrypted_key = sealedKey.seal(services.encryption, { userId: user.id, key: key.toString('base64') });
  await store.deleteFactor(trx, user.id);
  await store.insertFactor(trx, { user_id: user.id, encrypted_key, last_step: step, created_at: now });
  const enabled = await changeUser(services, trx, user, {
    two_factor_enabled: 1,
    two_factor_grace_started_at: null,
  });
  await services.announce(trx, 'second-factor.enabled', { user: enabled });
  return writeCodes(trx, user);
}

async function writeCodes(trx: Writer, user: User): Promise<string[]> {
  const codes = newRecoveryCodes();
  await store.replaceCodes(trx, user.id, codes.map(codeDigest));
  return codes;
}

/** Replaces the recovery codes. */
export async function renewCodes(services: Services, trx: Writer, user: User): Promise<string[]> {
  await services.announce(trx, 'recovery-codes.made', { user });
  return writeCodes(trx, user);
}

/**
 * Replaces the recovery codes of a user authenticated by SSH key; undefined if two-factor authentication is disabled.
 */
export function renewCodesOf(services: Services, id: number): Promise<string[] | undefined> {
  return services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    return user?.two_factor_enabled === 1 && user.state === 'active' ? renewCodes(services, trx, user) : undefined;
  });
}

/** Disables two-factor authentication and deletes its data. */
export async function disableFactor(services: Services, trx: Writer, user: User, by: User | null): Promise<void> {
  await store.deleteFactor(trx, user.id);
  const disabled = await changeUser(services, trx, user, { two_factor_enabled: 0 });
  await services.announce(trx, 'second-factor.disabled', { user: disabled, by });
}

/** `PATCH /users/:id/disable_two_factor`. */
export async function disableTwoFactor(services: Services, by: User, id: number): Promise<void> {
  await services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) throw new NotFound('User');
    if (user.admin === 1) {
      throw new Forbidden('Two-factor authentication for admins cannot be disabled via the API. Use the Rails console');
    }
    if (user.two_factor_enabled === 0) throw new BadRequest('Two-factor authentication is not enabled for this user');
    await disableFactor(services, trx, user, by);
  });
}

/** Disables two-factor authentication of any user from the command line; false if it was not enabled. */
export function disableFactorByCommand(services: Services, id: number): Promise<boolean> {
  return services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user || user.two_factor_enabled === 0) return false;
    await disableFactor(services, trx, user, null);
    return true;
  });
}

/** Result of verifying a code. */
export type Proof = 'right' | 'wrong' | 'locked';

// Used if password lockout is disabled, because six digits must not be guessable.
const defaultLock = { attempts: 10, duration: 600_000 };

/**
 * Verifies and consumes a TOTP or recovery code. The caller holds the lock on the account's row, so that a code cannot
 * be used twice concurrently, and must commit the transaction, so that wrong codes are counted.
 */
export async function verifyFactor(services: Services, trx: Writer, user: User, typed: string): Promise<Proof> {
  const now = Date.now();
  const factor = await store.factorOf(trx, user.id);
  if (!factor) return 'wrong';
  if (factor.locked_until !== null && factor.locked_until > now) return 'locked';
  const opened = sealedKey.open(services.encryption, factor.encrypted_key);
  const key = opened?.userId === user.id ? Buffer.from(opened.key, 'base64') : undefined;
  const step = key && matchingStep(key, plainCode(typed), now, factor.last_step);
  const isWritten = step === undefined && (await store.useRecoveryCode(trx, user.id, codeDigest(typed)));
  if (step === undefined && !isWritten) {
    const lock = passwordLock(services.config, await services.settings.read()) ?? defaultLock;
    const wrong = await store.countWrongCode(trx, user.id);
    if (wrong >= lock.attempts) await store.lockFactor(trx, user.id, now + lock.duration);
    return 'wrong';
  }
  await store.recordAcceptedCode(trx, user.id, step ?? factor.last_step);
  if (isWritten) {
    await services.announce(trx, 'recovery-code.used', { user, left: await store.codesLeft(trx, user.id) });
  }
  return 'right';
}
