import type { JsonObject } from '../../events/public.ts';
import { cleanObject, filtered, isSecretName, withoutBodySecrets } from './clean.ts';
import { isObject } from './read.ts';

/** The parts that SDKs send as an object, as a list of pairs, or as the text that was transferred. */
const parts = ['query_string', 'data', 'headers', 'env'];

/** Reads the request that caused an event. */
export function readRequest(raw: unknown): JsonObject | null {
  if (!isObject(raw)) return null;
  const request: Record<string, unknown> = { ...raw };
  for (const part of parts) if (Object.hasOwn(request, part)) request[part] = withoutSecrets(request[part]);
  return cleanObject(request);
}

function withoutSecrets(part: unknown): unknown {
  if (typeof part === 'string') return withoutBodySecrets(part);
  if (!Array.isArray(part)) return part;
  return part.map((pair) =>
    Array.isArray(pair) && typeof pair[0] === 'string' && isSecretName(pair[0]) ? [pair[0], filtered] : pair,
  );
}
