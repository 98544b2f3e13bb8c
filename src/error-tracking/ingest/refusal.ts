import { HttpError } from '../../platform/http/errors.ts';

/** A refusal in both words that clients look for: SDKs log the one or the other. */
export class IngestRefusal extends HttpError {
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(status, { message: text, detail: text }, headers);
  }
}

/** The body is none that an SDK sends. */
export class MalformedBody extends IngestRefusal {
  constructor(reason: string) {
    super(400, `400 Bad request - ${reason}`);
  }
}

/** The body, or an event in it, is larger than is taken. What is left of it is not read. */
export class OversizedBody extends IngestRefusal {
  constructor() {
    super(413, '413 Payload Too Large', { connection: 'close' });
  }
}

/** No key was given, or in no form that is known. */
export class NoKey extends IngestRefusal {
  constructor() {
    super(401, '401 Unauthorized');
  }
}

/** Unknown project, unknown key, tracking switched off: one answer, so that ids cannot be probed. */
export class UnknownKey extends IngestRefusal {
  constructor() {
    super(404, '404 Not Found');
  }
}

/** A compression that nobody here knows. */
export class UnknownEncoding extends IngestRefusal {
  constructor() {
    super(415, '415 Unsupported Media Type');
  }
}

/** Too many at once: the SDK keeps back what the header names for so long. */
export class OverQuota extends IngestRefusal {
  constructor(seconds: number, scope: 'key' | 'project', reason: string) {
    const wait = Math.max(1, Math.ceil(seconds));
    // Whole seconds, and never fewer than three parts: some SDKs drop an entry of any other form.
    super(429, '429 Too Many Requests', {
      'retry-after': `${wait}`,
      'x-sentry-rate-limits': `${wait}::${scope}:${reason}`,
    });
  }
}
