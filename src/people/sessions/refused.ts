/** A sign-in failure with a message for the user. */
export class SignInRefused extends Error {
  override readonly name: string = 'SignInRefused';
}

/** The first step is no longer valid; the password has to be entered again. */
export class SignInExpired extends SignInRefused {
  override readonly name = 'SignInOver';
}
