import type { IncomingHttpHeaders } from 'node:http';
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
import { type EventContext, normaliseEvent, readEventId } from './normalise/event.ts';
import { identityOf } from './normalise/people.ts';
import { checkQuota, type Sender, spendEventless, spendQuota, spendRefused } from './quota.ts';
import { MalformedBody, NoKey, OverQuota, OversizedBody, UnknownKey } from './refusal.ts';

/** Maximum decompressed size of an event. */
const maxEventBytes = 1024 * 1024;

/** Common item types that are not supported. */
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

/** The result of a request. */
export interface Receipt {
  /** ID of the event, if the request has one. */
  readonly id?: string;
  /** Whether the request contained unsupported items, which are dropped. */
  readonly unsupported: boolean;
}

export const envelopeType = 'application/x-sentry-envelope';

export function isEnvelope({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/x-sentry-envelope\b/i.test(type);
}

export type IngestRequest = FastifyRequest<{ Params: { project_id: string } }>;

/** Handles `POST .../envelope/`: an envelope, whatever the content type. */
export async function receiveEnvelope(services: Services, intake: Intake, request: IngestRequest): Promise<Receipt> {
  const requestKey = keyOf(request);
  const identified: { sender?: Sender } = {};
  if (requestKey !== undefined) identified.sender = await authenticate(services, request, requestKey);
  const { sender, header, event, types } = await counting(services, identified, async () => {
    const reader = new EnvelopeReader(maxEventBytes);
    for await (const chunk of readBody(request.raw)) {
      reader.push(chunk);
      if (reader.header) identified.sender ??= await authenticateByDsn(services, request, reader.header.dsn);
    }
    const envelope = reader.end();
    identified.sender ??= await authenticateByDsn(services, request, envelope.header.dsn);
    checkSame(request, requestKey, envelope.header.dsn);
    const json = envelope.event && readEventJson(envelope.event);
    return { ...envelope, event: json, sender: identified.sender };
  });
  const unsupported = types.some((type) => unsupportedTypes.has(type));
  const id = readEventId(header.event_id);
  if (!event) {
    await spendEventless(services, sender);
    return { ...(id === undefined ? {} : { id }), unsupported };
  }
  await spendQuota(services, sender);
  const context = { ...contextOf(request), eventId: header.event_id, sentAt: header.sent_at };
  return { id: await storeEvent(intake, sender, event, context), unsupported };
}

/** Handles `POST .../store/`: an event as JSON, or an envelope if the content type says so. */
export async function receiveStore(services: Services, intake: Intake, request: IngestRequest): Promise<Receipt> {
  if (isEnvelope(request.headers)) return receiveEnvelope(services, intake, request);
  const requestKey = keyOf(request);
  if (requestKey === undefined) throw new NoKey();
  const sender = await authenticate(services, request, requestKey);
  const event = await counting(services, { sender }, async () => {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const chunk of readBody(request.raw)) {
      size += chunk.length;
      if (size > maxEventBytes) throw new OversizedBody();
      parts.push(chunk);
    }
    return readEventJson(unpackStoreBody(Buffer.concat(parts), maxEventBytes));
  });
  if (event.type === 'transaction') {
    await spendEventless(services, sender);
    const id = readEventId(event.event_id);
    return { ...(id === undefined ? {} : { id }), unsupported: true };
  }
  await spendQuota(services, sender);
  return { id: await storeEvent(intake, sender, event, contextOf(request)), unsupported: false };
}

/** Reads a request, and counts it if that fails and the sender is known by then. */
async function counting<T>(
  services: Services,
  identified: { readonly sender?: Sender },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // Those above the limits are not counted again.
    if (identified.sender && !(error instanceof OverQuota)) await spendRefused(services, identified.sender);
    throw error;
  }
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

/** Authenticates the sender and checks the quota, before the body is read. */
async function authenticate(services: Services, request: IngestRequest, key: string): Promise<Sender> {
  const { project_id: written } = request.params;
  const projectId = /^\d{1,15}$/.test(written) ? Number(written) : 0;
  const keyId = await findOpenKey(services.db.read, projectId, key);
  if (keyId === undefined) throw new UnknownKey();
  const sender = { keyId, projectId, address: request.ip };
  await checkQuota(services, sender);
  return sender;
}

/** Tunneled requests only contain the key in the envelope. */
async function authenticateByDsn(services: Services, request: IngestRequest, given: unknown): Promise<Sender> {
  const dsn = readDsn(given);
  if (!dsn) throw new NoKey();
  if (dsn.project !== request.params.project_id) throw new UnknownKey();
  return authenticate(services, request, dsn.key);
}

/** Rejects envelopes whose DSN contradicts the key or project of the request. */
function checkSame(request: IngestRequest, requestKey: string | undefined, given: unknown): void {
  if (requestKey === undefined) return;
  const dsn = typeof given === 'string' && given !== '' ? readDsn(given) : undefined;
  if (dsn && (dsn.key !== requestKey || dsn.project !== request.params.project_id)) {
    throw new MalformedBody('the DSN is not the one of the request');
  }
}

function contextOf(request: FastifyRequest): EventContext {
  return { receivedAt: Date.now(), peer: request.ip };
}

/** Stores an event and returns its ID. */
async function storeEvent(
  intake: Intake,
  { projectId }: Sender,
  given: Record<string, unknown>,
  context: EventContext,
): Promise<string> {
  const event = normaliseEvent(given, context);
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
