/** An unsuccessful response: thrown where the rule is broken, sent in one place. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body === 'string' ? body : JSON.stringify(body));
    this.name = new.target.name;
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const message = (text: unknown) => ({ message: text });

/** A declared parameter is missing, of the wrong type or not an allowed value: `{"error": "title is missing"}`. */
export class ParameterError extends HttpError {
  constructor(text: string) {
    super(400, { error: text });
  }
}

/** The request cannot be processed: `400 Bad request - reason`, or only the reason with `plain`. */
export class BadRequest extends HttpError {
  constructor(reason?: string) {
    super(400, message(reason === undefined ? '400 Bad request' : `400 Bad request - ${reason}`));
  }

  /** The same status with only the reason as the message. */
  static plain(text: unknown): HttpError {
    return new HttpError(400, message(text));
  }
}

/** A record is invalid: attribute -> messages. */
export class Invalid extends HttpError {
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(errors: Readonly<Record<string, readonly string[]>>) {
    super(400, message(errors));
    this.errors = errors;
  }
}

/** The caller is not signed in, or the credential is unknown. */
export class Unauthorized extends HttpError {
  constructor(reason?: string) {
    super(401, message(reason === undefined ? '401 Unauthorized' : `401 Unauthorized - ${reason}`));
  }
}

/** The credential is known but expired, revoked or disabled. */
export class InvalidToken extends HttpError {
  constructor(description: string) {
    super(
      401,
      { error: 'invalid_token', error_description: description },
      {
        'www-authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
      },
    );
  }
}

/** The token's scopes do not cover the request. */
export class InsufficientScope extends HttpError {
  constructor(scopes: readonly string[]) {
    super(403, {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: scopes.join(' '),
    });
  }
}

/** The caller may know of the subject but may not do this. */
export class Forbidden extends HttpError {
  constructor(reason?: string) {
    super(403, message(reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`));
  }

  /** The same status with only the reason as the message. */
  static plain(text: string): HttpError {
    return new HttpError(403, message(text));
  }
}

/** The subject does not exist, or the caller may not know of it: `404 Project Not Found`. */
export class NotFound extends HttpError {
  constructor(resource?: string) {
    super(404, message(resource === undefined ? '404 Not Found' : `404 ${resource} Not Found`));
  }

  static plain(text: string): HttpError {
    return new HttpError(404, message(text));
  }

  /** A record looked up by number inside a readable parent: the documented message has a lowercase f. */
  static record(): HttpError {
    return new HttpError(404, message('404 Not found'));
  }
}

/** The route exists, but the action does not apply to this subject. */
export class MethodNotAllowed extends HttpError {
  constructor(text = '405 Method Not Allowed') {
    super(405, message(text));
  }
}

/** The subject is in a state that does not allow the change. */
export class Conflict extends HttpError {
  constructor(text: unknown = '409 Conflict') {
    super(409, message(text));
  }
}

/** The record has changed since `If-Unmodified-Since`. */
export class PreconditionFailed extends HttpError {
  constructor() {
    super(412, message('412 Precondition Failed'));
  }
}

/** The body exceeds the route's limit. */
export class TooLarge extends HttpError {
  constructor(text: unknown = '413 Request Entity Too Large') {
    super(413, message(text));
  }
}

/** The request is well-formed but cannot be processed. */
export class Unprocessable extends HttpError {
  constructor(text: unknown = '422 Unprocessable Entity') {
    super(422, message(text));
  }
}

/** An endpoint's own rate limit is exceeded. */
export class TooManyRequests extends HttpError {
  constructor(retryAfterSeconds?: number, text = 'This endpoint has been requested too many times. Try again later.') {
    super(
      429,
      message({ error: text }),
      retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` },
    );
  }
}

/** The server is too busy for this kind of request. */
export class Overloaded extends HttpError {
  constructor(retryAfterSeconds = 5) {
    super(503, message('503 Service Unavailable'), { 'retry-after': `${retryAfterSeconds}` });
  }
}

/** Nothing has changed: an empty 304. */
export class NotModified extends HttpError {
  constructor() {
    super(304, null);
  }
}
