/** An answer that is not a success: thrown where the rule is broken, turned into a response in one place. */
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

/** A declared parameter is missing, of the wrong type or outside its values: `{"error": "title is missing"}`. */
export class ParameterError extends HttpError {
  constructor(text: string) {
    super(400, { error: text });
  }
}

/** The request cannot be carried out: `400 Bad request - reason`, or the bare text with `plain`. */
export class BadRequest extends HttpError {
  constructor(reason?: string) {
    super(400, message(reason === undefined ? '400 Bad request' : `400 Bad request - ${reason}`));
  }

  /** The same status with the reason alone as the message. */
  static plain(text: unknown): HttpError {
    return new HttpError(400, message(text));
  }
}

/** A record breaks its rules: attribute -> texts. */
export class Invalid extends HttpError {
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(errors: Readonly<Record<string, readonly string[]>>) {
    super(400, message(errors));
    this.errors = errors;
  }
}

/** Nobody is signed in, or the credential is unknown. */
export class Unauthorized extends HttpError {
  constructor(reason?: string) {
    super(401, message(reason === undefined ? '401 Unauthorized' : `401 Unauthorized - ${reason}`));
  }
}

/** The credential is known but expired, revoked or switched off. */
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

/** The caller may know of the subject but not do this to it. */
export class Forbidden extends HttpError {
  constructor(reason?: string) {
    super(403, message(reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`));
  }

  /** The same status with the reason alone as the message. */
  static plain(text: string): HttpError {
    return new HttpError(403, message(text));
  }
}

/** The subject is missing, or the caller may not know that it exists: `404 Project Not Found`. */
export class NotFound extends HttpError {
  constructor(resource?: string) {
    super(404, message(resource === undefined ? '404 Not Found' : `404 ${resource} Not Found`));
  }

  static plain(text: string): HttpError {
    return new HttpError(404, message(text));
  }

  /** A record looked up by its number inside a readable parent: the documents spell it with a small f. */
  static record(): HttpError {
    return new HttpError(404, message('404 Not found'));
  }
}

/** The route exists, the action does not apply to this subject. */
export class MethodNotAllowed extends HttpError {
  constructor(text = '405 Method Not Allowed') {
    super(405, message(text));
  }
}

/** The subject is already in a state that forbids the change. */
export class Conflict extends HttpError {
  constructor(text: unknown = '409 Conflict') {
    super(409, message(text));
  }
}

/** `If-Unmodified-Since` is older than the record. */
export class PreconditionFailed extends HttpError {
  constructor() {
    super(412, message('412 Precondition Failed'));
  }
}

/** The body is larger than the route takes. */
export class TooLarge extends HttpError {
  constructor(text: unknown = '413 Request Entity Too Large') {
    super(413, message(text));
  }
}

/** The request is well formed and still cannot be processed. */
export class Unprocessable extends HttpError {
  constructor(text: unknown = '422 Unprocessable Entity') {
    super(422, message(text));
  }
}

/** An endpoint's own limit is used up. */
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

/** The state is already as requested: an empty 304. */
export class NotModified extends HttpError {
  constructor() {
    super(304, null);
  }
}
