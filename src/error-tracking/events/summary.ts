import { type Static, type TSchema, Type } from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';
import { levels } from './event.ts';

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const summary = Type.Object({
  event_id: Type.String(),
  /** The number of the error that it belongs to. */
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
  /** A digest that tells the affected user from others. */
  identity: orNull(Type.String()),
  occurred_at: Type.Number(),
  received_at: Type.Number(),
});

/** What of an event is listed and counted; the whole event lies in the file of its batch. */
export type EventSummary = Readonly<Static<typeof summary>>;

const stored = Type.Object({ ...summary.properties, position: Type.Number(), length: Type.Number() });

/** A summary, and where in the file of its batch the event lies. */
export type StoredSummary = Readonly<Static<typeof stored>>;

export const storedSummaries = storedJson(Type.Array(stored));
