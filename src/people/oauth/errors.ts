/** What an OAuth client is told, by the words that the standard has for it. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'temporarily_unavailable';

const statuses: Partial<Record<OAuthCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  temporarily_unavailable: 429,
};

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthCode;

  constructor(code: OAuthCode, description: string) {
    super(description);
    this.code = code;
  }

  get status(): number {
    return statuses[this.code] ?? 400;
  }

  get body() {
    return { error: this.code, error_description: this.message };
  }
}

export const wrongClient = () =>
  new OAuthError('invalid_client', 'The client is not known, or did not show that it is the one it says.');
export const wrongGrant = () =>
  new OAuthError(
    'invalid_grant',
    'What was presented is not valid, has expired, was used, or was given to another client or address.',
  );
export const wrongScope = () =>
  new OAuthError('invalid_scope', 'The scope is unknown, or more than the application was made with.');
