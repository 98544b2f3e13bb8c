/** Why a git client is denied access; the message is shown in the terminal. */
export class GitRefusal extends Error {
  override readonly name = 'GitRefusal';
  readonly status: 401 | 403 | 404 | 422 | 429 | 503;

  constructor(status: GitRefusal['status'], text: string) {
    super(text);
    this.status = status;
  }

  /** Missing or invalid credentials: a client then asks its user for a password. */
  static denied(): GitRefusal {
    return new GitRefusal(
      401,
      'HTTP Basic: Access denied. The password or token is wrong or has expired, ' +
        'or this account has to use a token instead of its password.',
    );
  }

  /** The password is correct, but a token is required. */
  static tokenNeeded(externalUrl: string): GitRefusal {
    return new GitRefusal(
      401,
      "HTTP Basic: Access denied. You must use a personal access token with 'read_repository' or 'write_repository' " +
        `scope for Git over HTTP. You can generate one at ${externalUrl}/-/user_settings/personal_access_tokens`,
    );
  }

  static notFound(): GitRefusal {
    return new GitRefusal(
      404,
      "The project you were looking for could not be found or you don't have permission to view it.",
    );
  }

  static forbidden(text: string): GitRefusal {
    return new GitRefusal(403, text);
  }
}
