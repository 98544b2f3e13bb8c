/** OAuth error codes. */
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

export const wrongClient = () => new OAuthError('invalid_client', 'The client is unknown or failed to authenticate.');
export const wrongGrant = () =>
  new OAuthError(
    'invalid_grant',
    'The grant is invalid, expired, already used, or was issued to another client or redirect_uri.',
  );
export const wrongScope = () =>
  new OAuthError('invalid_scope', 'The scope is unknown or exceeds those of the application.');
