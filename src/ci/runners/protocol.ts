import type { Services } from '../../access/services.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import type { RegistrationEntity, RunnerContact } from './schema.ts';
import { renewToken } from './service.ts';
import * as store from './store.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

/** System ID of runner managers that do not send one. */
const unnamedSystem = '<legacy>';
const maxSystemIdLength = 64;

/** Finds the runner of a token. Every failure gets the same error. */
export async function runnerByToken({ db }: Services, token: string): Promise<RunnerRow> {
  const runner = await store.findRunnerByDigest(db.read, digest(token));
  if (!runner || (runner.token_expires_at !== null && runner.token_expires_at <= Date.now())) throw new Forbidden();
  return runner;
}

/** The contact time is saved at most once in this interval, because idle runners poll constantly. */
const contactIntervalMs = 10 * 60_000;

/** Records the contact of a runner manager and the details it reports. */
export async function recordContact(
  { db }: Services,
  runner: RunnerRow,
  { system_id, info }: RunnerContact,
  ip: string | undefined,
): Promise<RunnerManagerRow> {
  const now = Date.now();
  const system = system_id || unnamedSystem;
  // Truncating would merge two managers whose IDs share a prefix.
  if ([...system].length > maxSystemIdLength) {
    throw new Invalid({ system_id: [`is too long (maximum is ${maxSystemIdLength} characters)`] });
  }
  const existing = await store.findManager(db.read, runner.id, system);
  // A script that only verifies the token sends no details; those of the runner itself stay.
  const reported = {
    version: info?.version ?? existing?.version ?? null,
    revision: info?.revision ?? existing?.revision ?? null,
    platform: info?.platform ?? existing?.platform ?? null,
    architecture: info?.architecture ?? existing?.architecture ?? null,
    executor: info?.executor ?? existing?.executor ?? null,
    ip_address: ip ?? null,
    features: info?.features ? JSON.stringify(info.features) : (existing?.features ?? '{}'),
  };
  const recent = existing?.contacted_at != null && existing.contacted_at > now - contactIntervalMs;
  if (existing && recent && isUnchanged(existing, reported)) return existing;
  const row = { runner_id: runner.id, system_id: system, ...reported, contacted_at: now, created_at: now };
  return db.write((trx) => store.touchManager(trx, row));
}

/** Job updates count as contact, because a busy runner manager may not request jobs for hours. */
export async function recordJobContact(
  { db }: Services,
  job: { readonly runner_id: number | null; readonly runner_manager_id: number | null },
): Promise<void> {
  const { runner_id, runner_manager_id } = job;
  if (runner_id === null || runner_manager_id === null) return;
  const now = Date.now();
  const last = await store.managerContact(db.read, runner_manager_id);
  if (last === undefined || (last !== null && last > now - contactIntervalMs)) return;
  await db.write((trx) => store.renewContact(trx, runner_id, runner_manager_id, now));
}

function isUnchanged<T extends object>(existing: T, reported: Partial<T>): boolean {
  return Object.entries(reported).every(([name, value]) => existing[name as keyof T] === value);
}

/** Verifies the token of a runner. */
export async function verifyRunner(
  services: Services,
  token: string,
  contact: RunnerContact,
  ip: string | undefined,
): Promise<RegistrationEntity> {
  const runner = await runnerByToken(services, token);
  await recordContact(services, runner, contact, ip);
  return { id: runner.id, token, token_expires_at: instantOrNull(runner.token_expires_at) };
}

/** Deletes the runner that sends the request. */
export async function unregisterRunner(services: Services, token: string): Promise<void> {
  const { id } = await runnerByToken(services, token);
  await services.db.write((trx) => store.deleteRunner(trx, id));
}

/** Deletes the runner manager that sends the request. */
export async function unregisterManager(services: Services, token: string, systemId: string): Promise<void> {
  const { id } = await runnerByToken(services, token);
  const removed = await services.db.write((trx) => store.deleteManager(trx, id, systemId));
  if (!removed) throw new NotFound('Runner manager not found');
}

/** Renews the token of the runner that sends the request. */
export async function renewOwnToken(services: Services, token: string) {
  return renewToken(services, await runnerByToken(services, token));
}
