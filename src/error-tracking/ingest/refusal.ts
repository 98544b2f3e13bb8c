import { HttpError } from '../../platform/http/errors.ts';

/** An error with both fields that SDKs log: some read `message`, others `detail`. */
export class IngestRefusal extends HttpError {
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(status, { message: text, detail: text }, headers);
  }
}

/** The body is not in a valid format. */
export class MalformedBody extends IngestRefusal {
  constructor(reason: string) {
    super(400, `400 Bad request - ${reason}`);
  }
}

/** The body or an event is too large. The rest of the body is not read. */
export class OversizedBody extends IngestRefusal {
  constructor() {
    super(413, '413 Payload Too Large', { connection: 'close' });
  }
}

/** The key is missing or malformed. */
export class NoKey extends IngestRefusal {
  constructor() {
    super(401, '401 Unauthorized');
  }
}

/** Unknown project, unknown key, or error tracking disabled. A single response, so that IDs cannot be probed. */
export class UnknownKey extends IngestRefusal {
  constructor() {
    super(404, '404 Not Found');
  }
}

/** The content encoding is not supported. */
export class UnknownEncoding extends IngestRefusal {
  constructor() {
    super(415, '415 Unsupported Media Type');
  }
}

/** A rate limit was exceeded. SDKs hold back the data named in the header for the given time. */
export class OverQuota extends IngestRefusal {
  constructor(seconds: number, scope: 'key' | 'project', reason: string) {
    const wait = Math.max(1, Math.ceil(seconds));
    // Whole seconds and at least three parts: some SDKs ignore other formats.
    super(429, '429 Too Many Requests', {
      'retry-after': `${wait}`,
      'x-sentry-rate-limits': `${wait}::${scope}:${reason}`,
    });
  }
}
