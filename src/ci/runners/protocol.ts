import type { Services } from '../../access/services.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { instantOrNull } from '../../platform/http/schema.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import type { RegistrationEntity, RunnerContact } from './schema.ts';
import { renewToken } from './service.ts';
import * as store from './store.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

/** What stands for the machine of a runner that does not name it. */
const unnamedSystem = '<legacy>';
const longestSystemId = 64;

/** The runner of a token; whatever is wrong with it, the refusal is the same. */
export async function runnerOf({ db }: Services, token: string): Promise<RunnerRow> {
  const runner = await store.findRunnerByDigest(db.read, digest(token));
  if (!runner || (runner.token_expires_at !== null && runner.token_expires_at <= Date.now())) throw new Forbidden();
  return runner;
}

/** Contact is noted once in this time: runners that have nothing to do ask all the time. */
const noteContactAfter = 10 * 60_000;

/** Notes that a machine of a runner was heard of, with what it says of itself. */
export async function heardOf(
  { db }: Services,
  runner: RunnerRow,
  { system_id, info }: RunnerContact,
  ip: string | undefined,
): Promise<RunnerManagerRow> {
  const now = Date.now();
  const system = system_id || unnamedSystem;
  // Two machines must not become one because their names begin alike.
  if ([...system].length > longestSystemId) {
    throw new Invalid({ system_id: [`is too long (maximum is ${longestSystemId} characters)`] });
  }
  const said = {
    version: info?.version ?? null,
    revision: info?.revision ?? null,
    platform: info?.platform ?? null,
    architecture: info?.architecture ?? null,
    executor: info?.executor ?? null,
    ip_address: ip ?? null,
    features: JSON.stringify(info?.features ?? {}),
  };
  const known = await store.findManager(db.read, runner.id, system);
  const recent = known?.contacted_at != null && known.contacted_at > now - noteContactAfter;
  if (known && recent && sameWords(known, said)) return known;
  const row = { runner_id: runner.id, system_id: system, ...said, contacted_at: now, created_at: now };
  return db.write((trx) => store.touchManager(trx, row));
}

/** A machine that reports of its job is heard of, too: it may ask for no other one for hours. */
export async function heardOfJob(
  { db }: Services,
  job: { readonly runner_id: number | null; readonly runner_manager_id: number | null },
): Promise<void> {
  const { runner_id, runner_manager_id } = job;
  if (runner_id === null || runner_manager_id === null) return;
  const now = Date.now();
  const last = await store.managerContact(db.read, runner_manager_id);
  if (last === undefined || (last !== null && last > now - noteContactAfter)) return;
  await db.write((trx) => store.renewContact(trx, runner_id, runner_manager_id, now));
}

function sameWords<T extends object>(known: T, said: Partial<T>): boolean {
  return Object.entries(said).every(([name, value]) => known[name as keyof T] === value);
}

/** A runner asks whether its token is good. */
export async function verifyRunner(
  services: Services,
  token: string,
  contact: RunnerContact,
  ip: string | undefined,
): Promise<RegistrationEntity> {
  const runner = await runnerOf(services, token);
  await heardOf(services, runner, contact, ip);
  return { id: runner.id, token, token_expires_at: instantOrNull(runner.token_expires_at) };
}

/** A runner takes itself away. */
export async function unregisterRunner(services: Services, token: string): Promise<void> {
  const { id } = await runnerOf(services, token);
  await services.db.write((trx) => store.deleteRunner(trx, id));
}

/** One machine of a runner takes itself away. */
export async function unregisterManager(services: Services, token: string, systemId: string): Promise<void> {
  const { id } = await runnerOf(services, token);
  const removed = await services.db.write((trx) => store.deleteManager(trx, id, systemId));
  if (!removed) throw new NotFound('Runner manager not found');
}

/** A runner asks for another token for itself. */
export async function renewOwnToken(services: Services, token: string) {
  return renewToken(services, await runnerOf(services, token));
}
