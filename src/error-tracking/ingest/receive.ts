import type { FastifyRequest } from 'fastify';
import type { Services } from '../../access/services.ts';
import { type EventSummary, packEvent, type TrackedEvent } from '../events/public.ts';
import { findOpenKey } from '../settings/public.ts';
import { keyOfRequest, readDsn } from './authentication.ts';
import { readBody } from './body.ts';
import { EnvelopeReader } from './envelope.ts';
import { readEventJson, unpackStoreBody } from './event-json.ts';
import { fingerprintOf, groupingVersion } from './grouping/group.ts';
import { nameOf } from './grouping/title.ts';
import type { Intake } from './intake.ts';
import { type Circumstances, normaliseEvent, readEventId } from './normalise/event.ts';
import { identityOf } from './normalise/people.ts';
import { checkQuota, type Sender, spendIdle, spendQuota } from './quota.ts';
import { MalformedBody, NoKey, OversizedBody, UnknownKey } from './refusal.ts';

/** The largest event, once decompressed. */
const largestEvent = 1024 * 1024;

/** The items that SDKs send much of, and nobody here asks for. */
const unsupportedTypes: ReadonlySet<string> = new Set([
  'transaction',
  'span',
  'profile',
  'profile_chunk',
  'replay_event',
  'replay_recording',
  'replay_video',
  'log',
  'trace_metric',
]);

/** What came of a request. */
export interface Receipt {
  /** Of the event, if the request names one. */
  readonly id?: string;
  /** The kinds of items that are taken and thrown away. */
  readonly unsupported: boolean;
}

export type IngestRequest = FastifyRequest<{ Params: { project_id: string } }>;

/** `POST .../envelope/`: an envelope, whatever its content type says. */
export async function receiveEnvelope(services: Services, intake: Intake, request: IngestRequest): Promise<Receipt> {
  const shown = keyOf(request);
  const early = shown === undefined ? undefined : await enter(services, request, shown);
  const reader = new EnvelopeReader(largestEvent);
  let sender = early;
  for await (const chunk of readBody(request.raw)) {
    reader.push(chunk);
    if (reader.header) sender ??= await enterByDsn(services, request, reader.header.dsn);
  }
  const { header, event, types } = reader.end();
  sender ??= await enterByDsn(services, request, header.dsn);
  checkSame(request, shown, header.dsn);
  const unsupported = types.some((type) => unsupportedTypes.has(type));
  const id = readEventId(header.event_id);
  if (!event) {
    await spendIdle(services, sender);
    return { ...(id === undefined ? {} : { id }), unsupported };
  }
  await spendQuota(services, sender);
  const around = { ...circumstances(request), eventId: header.event_id, sentAt: header.sent_at };
  return { id: await take(intake, sender, readEventJson(event), around), unsupported };
}

/** `POST .../store/`: one event as JSON; an envelope where the content type says so. */
export async function receiveStore(services: Services, intake: Intake, request: IngestRequest): Promise<Receipt> {
  if (/^application\/x-sentry-envelope\b/i.test(request.headers['content-type'] ?? '')) {
    return receiveEnvelope(services, intake, request);
  }
  const shown = keyOf(request);
  if (shown === undefined) throw new NoKey();
  const sender = await enter(services, request, shown);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of readBody(request.raw)) {
    size += chunk.length;
    if (size > largestEvent) throw new OversizedBody();
    parts.push(chunk);
  }
  const event = readEventJson(unpackStoreBody(Buffer.concat(parts), largestEvent));
  if (event.type === 'transaction') {
    await spendIdle(services, sender);
    const id = readEventId(event.event_id);
    return { ...(id === undefined ? {} : { id }), unsupported: true };
  }
  await spendQuota(services, sender);
  return { id: await take(intake, sender, event, circumstances(request)), unsupported: false };
}

function keyOf({ query, headers }: FastifyRequest): string | undefined {
  return keyOfRequest({
    query: query as Record<string, unknown>,
    sentryAuth: single(headers['x-sentry-auth']),
    authorization: headers.authorization,
  });
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Who sends, if the key opens the project: asked before the body is read. */
async function enter(services: Services, request: IngestRequest, key: string): Promise<Sender> {
  const { project_id: written } = request.params;
  const projectId = /^\d{1,15}$/.test(written) ? Number(written) : 0;
  const keyId = await findOpenKey(services.db.read, projectId, key);
  if (keyId === undefined) throw new UnknownKey();
  const sender = { keyId, projectId, address: request.ip };
  await checkQuota(services, sender);
  return sender;
}

/** Tunnels show the key in the envelope alone. */
async function enterByDsn(services: Services, request: IngestRequest, given: unknown): Promise<Sender> {
  const dsn = readDsn(given);
  if (!dsn) throw new NoKey();
  if (dsn.project !== request.params.project_id) throw new UnknownKey();
  return enter(services, request, dsn.key);
}

/** An envelope that was made for another key or project has lost its way. */
function checkSame(request: IngestRequest, shown: string | undefined, given: unknown): void {
  if (shown === undefined) return;
  const dsn = typeof given === 'string' && given !== '' ? readDsn(given) : undefined;
  if (dsn && (dsn.key !== shown || dsn.project !== request.params.project_id)) {
    throw new MalformedBody('the DSN is not the one of the request');
  }
}

function circumstances(request: FastifyRequest): Circumstances {
  return { receivedAt: Date.now(), peer: request.ip };
}

/** Stores an event; returns its id. */
async function take(
  intake: Intake,
  { projectId }: Sender,
  given: Record<string, unknown>,
  around: Circumstances,
): Promise<string> {
  const event = normaliseEvent(given, around);
  await intake.accept(projectId, { bytes: packEvent(event), summary: summaryOf(event) });
  return event.event_id;
}

function summaryOf(event: TrackedEvent): EventSummary {
  const { platform, level, logger, environment, release } = event;
  return {
    event_id: event.event_id,
    fingerprint: fingerprintOf(event),
    grouping_version: groupingVersion,
    ...nameOf(event),
    platform,
    level,
    logger,
    environment,
    release,
    identity: identityOf(event.user),
    occurred_at: event.timestamp,
    received_at: event.received_at,
  };
}
