import { type DestinationStream, type LogFn, type Logger, pino, stdSerializers } from 'pino';
import { standardError } from './log-destination.ts';
import { isSecretName, scrubUrl } from './scrub-url.ts';

export type { Logger } from 'pino';
export { scrubUrl } from './scrub-url.ts';

/** What one answered request leaves in the log. */
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

/** A logger of JSON lines on standard error (standard output is for what people asked a command for), secrets removed. */
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

/** Gives the function that logs answered requests; what went wrong on our side stands out by its level. */
export function requestLog(logger: Logger): (line: RequestLine) => void {
  // Each field of a line is known, so the search for secret names, which takes longer than the rest, is left out.
  const lines = logger.child({}, { formatters: { log: (line) => line } });
  return (line) => (line.status >= 500 ? lines.error(line, 'request') : lines.info(line, 'request'));
}

const formatters = {
  level: (label: string) => ({ level: label }),
  log: withoutSecrets,
};

const hooks = {
  // An error logged without words lends its message to the line, past every serializer.
  logMethod(this: Logger, given: Parameters<LogFn>, log: LogFn) {
    const words: unknown[] = given;
    if (words[0] instanceof Error && words.length === 1) words.push(words[0].message);
    for (const [place, word] of words.entries()) if (typeof word === 'string') words[place] = scrubUrl(word);
    log.apply(this, given);
  },
};

/** What a program calls itself: whoever is asked for a name may give a token, or a book. */
const agentOf = (agent: unknown) => (typeof agent === 'string' ? scrubUrl(agent.slice(0, 500)) : agent);

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

/** A copy with the value of each secret field hidden, at any depth that a log entry reasonably has. */
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
