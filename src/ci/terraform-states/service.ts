import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { Conflict, HttpError, NotFound, ParameterError, TooLarge, Unprocessable } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { FileMissing } from '../../platform/storage/storage.ts';
import { mayWrite } from './lock.ts';
import { cancelRemoval, enqueueRemoval, removeFilesOf, scheduleRemoval } from './removal.ts';
import { decryptState, encryptState } from './sealed.ts';
import { SerialScanner } from './serial.ts';
import * as store from './store.ts';
import type { StateRow, VersionRow } from './tables.ts';

/** Rejects state and lock names that are too long. */
export function checkLength(name: string, text: string): string {
  const lengthError = lengthProblem(text, 255);
  if (lengthError !== undefined) throw new ParameterError(`${name} ${lengthError}`);
  return text;
}

async function requireState({ db }: Services, { project }: ProjectSubject, name: string): Promise<StateRow> {
  const found = await store.findState(db.read, project.id, name);
  if (!found) throw new NotFound();
  return found;
}

/** Sends the latest version, or no content if the state only has a lock. */
export async function sendLatest(
  services: Services,
  subject: ProjectSubject,
  name: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const state = await requireState(services, subject, name);
  const version = await store.latestVersion(services.db.read, state.id);
  return version ? send(services, version, reply) : reply.code(204).send();
}

export async function sendVersion(
  services: Services,
  subject: ProjectSubject,
  name: string,
  serial: number,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return send(services, await requireVersion(services, subject, name, serial), reply);
}

async function requireVersion(
  services: Services,
  subject: ProjectSubject,
  name: string,
  serial: number,
): Promise<VersionRow> {
  const state = await requireState(services, subject, name);
  const version = await store.versionOf(services.db.read, state.id, serial);
  if (!version) throw new NotFound();
  return version;
}

async function send(
  { storage, encryption }: Services,
  { storage_key, size }: VersionRow,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { stream } = await storage.get(storage_key).catch((error: unknown) => {
    // Deleted since the row was read.
    throw error instanceof FileMissing ? new NotFound() : error;
  });
  return reply
    .header('content-type', 'application/json')
    .header('content-length', size)
    .header('cache-control', 'no-store')
    .send(Readable.from(decryptState(encryption, storage_key, stream), { objectMode: false }));
}

/** Metadata of a state, computed while it was received. */
interface Received {
  readonly size: number;
  readonly sha256: string;
  readonly serial: number;
}

/** Stores a state uploaded by Terraform. Returns false if the body was empty. */
export async function storeState(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { name, ID }: { readonly name: string; readonly ID?: string },
  request: FastifyRequest,
): Promise<boolean> {
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const storage_key = `terraform-states/${subject.project.id}/${randomBytes(16).toString('hex')}`;
  try {
    checkLength('name', name);
    await requireWritable(services, subject, name, ID);
    await scheduleRemoval(services, storage_key);
    const received = await receive(services, storage_key, body, Number(request.headers['content-length'] ?? 0));
    fault('terraform-states.stored');
    const isSaved =
      received &&
      (await services.db.write((trx) =>
        saveVersion(services, trx, caller, subject, { name, ID, storage_key, received }),
      ));
    if (!isSaved) await services.storage.delete(storage_key);
    return received !== undefined;
  } catch (error) {
    // After a rejection no version refers to the file. After any other error one might, so the scheduled removal
    // checks.
    if (error instanceof HttpError) await services.storage.delete(storage_key);
    throw error;
  } finally {
    // The remaining body must be consumed, because the next request on the connection follows it.
    body.resume();
  }
}

/** Checks the lock before anything is stored; it is checked again in the transaction. */
async function requireWritable({ db }: Services, { project }: ProjectSubject, name: string, lockId?: string) {
  const state = await store.findState(db.read, project.id, name);
  if (!mayWrite(state ?? { lock_id: null }, lockId)) throw locked();
}

const locked = () => new Conflict('The state is locked');

/** Streams a state to storage in encrypted form, and extracts its metadata on the way. */
async function receive(
  { storage, encryption, settings }: Services,
  key: string,
  body: Readable,
  contentLength: number,
): Promise<Received | undefined> {
  const { max_terraform_state_size_bytes: maxSize } = await settings.read();
  if (maxSize > 0 && contentLength > maxSize) throw new TooLarge();
  const [scanner, sha256] = [new SerialScanner(), createHash('sha256')];
  let size = 0;
  async function* measured() {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (maxSize > 0 && size > maxSize) throw new TooLarge();
      scanner.take(chunk);
      sha256.update(chunk);
      yield chunk;
    }
  }
  await storage.put(key, encryptState(encryption, key, measured()));
  if (size === 0) return undefined;
  const found = scanner.end();
  if ('problem' in found) throw new Unprocessable(found.problem);
  return { size, sha256: sha256.digest('hex'), serial: found.serial };
}

interface NewVersion {
  readonly name: string;
  readonly ID: string | undefined;
  readonly storage_key: string;
  readonly received: Received;
}

/** Saves a version. Returns false if it exists already, which happens when a client missed the response and retries. */
async function saveVersion(
  services: Services,
  trx: Writer,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  { name, ID, storage_key, received }: NewVersion,
): Promise<boolean> {
  const now = Date.now();
  const state = await store.ensureState(trx, project.id, name);
  if (!state) throw new NotFound();
  if (!mayWrite(state, ID)) throw locked();
  const same = await store.versionOf(trx, state.id, received.serial);
  if (same?.sha256 === received.sha256) return false;
  if (same) throw new Unprocessable('Serial has already been taken');
  const row = { state_id: state.id, storage_key, ...received, created_by_id: user.id, created_at: now };
  await store.insertVersion(trx, row);
  await store.updateState(trx, state.id, { updated_at: now });
  if (!(await cancelRemoval(services, trx, storage_key))) throw new Unprocessable('Upload took too long');
  return true;
}

/** Deletes a state with all its versions, unless it is locked. */
export async function deleteState(services: Services, { project }: ProjectSubject, name: string): Promise<void> {
  await services.db.write(async (trx) => {
    const state = await store.lockState(trx, project.id, name);
    if (!state) throw new NotFound();
    if (state.lock_id !== null) throw locked();
    await removeFilesOf(services, trx, { stateId: state.id });
    await store.deleteState(trx, state.id);
  });
}

export async function deleteVersion(
  services: Services,
  subject: ProjectSubject,
  name: string,
  serial: number,
): Promise<void> {
  const version = await requireVersion(services, subject, name, serial);
  await services.db.write(async (trx) => {
    await store.deleteVersion(trx, version.id);
    await enqueueRemoval(services, trx, [version.storage_key]);
  });
}
