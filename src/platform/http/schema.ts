import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { instantText } from './responses/instants.ts';

/**
 * An entity: a named object schema, shared by every response that contains it and listed once in the OpenAPI document.
 */
export function entity<P extends TProperties>(name: string, properties: P): TObject<P> {
  return Type.Object(properties, { title: name });
}

/** The value or null. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, nullable: true });
}

/** An instant as `2024-01-31T15:10:44.988Z`. */
export const timestamp = () => Type.String({ format: 'date-time' });
/** A day as `2024-01-31`. */
export const day = () => Type.String({ format: 'date' });

/** Formats milliseconds as a timestamp. */
export function instant(ms: number): string {
  return instantText(ms);
}

/** Formats milliseconds as a timestamp; null stays null. */
export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instantText(ms);
}

/** Formats milliseconds as a date; null stays null. */
export function dayOrNull(ms: number | null): string | null {
  return ms === null ? null : instantText(ms).slice(0, 10);
}

/** Parses `2024-01-31` to the milliseconds of its midnight in UTC. */
export function dayToInstant(text: string): number {
  return Date.parse(`${text}T00:00:00Z`);
}

/** `{"message": …}`, for responses with nothing else. */
export const Message = Type.Object({ message: Type.String() }, { title: 'Message' });
