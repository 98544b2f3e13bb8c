import { type DestinationStream, type LogFn, type Logger, pino, stdSerializers } from 'pino';
import { standardError } from './log-destination.ts';
import { isSecretName, scrubUrl } from './scrub-url.ts';

export type { Logger } from 'pino';
export { scrubUrl } from './scrub-url.ts';

/** The log entry of a completed request. */
export interface RequestLine {
  requestId: string;
  method: string;
  url: string;
  status: number;
  /** Milliseconds from the first byte read to the last one written. */
  duration: number;
  remote: string;
  bytes?: number;
  agent?: string;
}

/**
 * Creates a logger that writes JSON lines to standard error (standard output is for the results of commands), without
 * secrets.
 */
export function createLogger({ logLevel }: { logLevel: string }, to: DestinationStream = standardError()): Logger {
  const serializers = {
    err: scrubbedError,
    error: scrubbedError,
    url: scrubUrl,
    agent: agentOf,
    headers: withoutSecrets,
  };
  return pino({ level: logLevel, base: null, timestamp: isoTime, formatters, hooks, serializers }, to);
}

/** Returns the function that logs completed requests; server errors are logged at level error. */
export function requestLog(logger: Logger): (line: RequestLine) => void {
  // The fields of a line are fixed, so the search for secret names, the slowest part of logging, is skipped.
  const lines = logger.child({}, { formatters: { log: (line) => line } });
  return (line) => (line.status >= 500 ? lines.error(line, 'request') : lines.info(line, 'request'));
}

const formatters = {
  level: (label: string) => ({ level: label }),
  log: withoutSecrets,
};

const hooks = {
  // pino copies the message of an error logged without text into the line, bypassing the serializers.
  logMethod(this: Logger, given: Parameters<LogFn>, log: LogFn) {
    const args: unknown[] = given;
    if (args[0] instanceof Error && args.length === 1) args.push(args[0].message);
    for (const [index, arg] of args.entries()) if (typeof arg === 'string') args[index] = scrubUrl(arg);
    log.apply(this, given);
  },
};

/** The user agent. Clients can send anything in this header, so secrets are removed and its length is limited. */
const agentOf = (agent: unknown) => (typeof agent === 'string' ? scrubUrl(agent.slice(0, 500)) : agent);

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

/** A copy with the values of secret fields hidden, down to any depth a log entry reasonably has. */
function withoutSecrets<T>(fields: T, depth = 0): T {
  if (typeof fields === 'string') return scrubUrl(fields) as T;
  if (typeof fields !== 'object' || fields === null || fields instanceof Error || depth > 4) return fields;
  if (Array.isArray(fields)) return fields.map((item) => withoutSecrets(item, depth + 1)) as T;
  const entries = Object.entries(fields).map(([name, value]) => {
    const secret = isSecretName(name) || /^(set-)?cookies?$/i.test(name);
    return [name, secret ? '[hidden]' : withoutSecrets(value, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function scrubbedError(error: Error): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = stdSerializers.err(error) as Record<string, unknown>;
  return { type, code, message: scrubUrl(String(message)), stack: scrubUrl(String(stack)) };
}
