import { type Static, type TSchema, Type } from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';
import { levels } from './event.ts';

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const summary = Type.Object({
  event_id: Type.String(),
  /** The fingerprint of the error. */
  fingerprint: Type.String(),
  grouping_version: Type.Number(),
  title: Type.String(),
  message: Type.String(),
  culprit: Type.String(),
  platform: Type.String(),
  level: Type.Enum(levels),
  logger: orNull(Type.String()),
  environment: Type.String(),
  release: orNull(Type.String()),
  /** Digest identifying the affected user. */
  identity: orNull(Type.String()),
  occurred_at: Type.Number(),
  received_at: Type.Number(),
});

/** The attributes of an event used for lists and counts. The whole event is stored in the batch file. */
export type EventSummary = Readonly<Static<typeof summary>>;

const stored = Type.Object({ ...summary.properties, position: Type.Number(), length: Type.Number() });

/** A summary with the position of the event in its batch file. */
export type StoredSummary = Readonly<Static<typeof stored>>;

export const storedSummaries = storedJson(Type.Array(stored));

/** The same events, unread: one that does not fit must not keep the others from being read. */
export const storedEvents = storedJson(Type.Array(Type.Unknown()));

/** Reads events that are JSON each. */
export function readSummaries(events: readonly string[]): readonly StoredSummary[] {
  return storedSummaries(`[${events.join(',')}]`);
}
