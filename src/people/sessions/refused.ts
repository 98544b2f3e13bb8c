/** Why somebody is not let in, in words for them. */
export class SignInRefused extends Error {
  override readonly name: string = 'SignInRefused';
}

/** What they began with is no longer good: they have to give their password again. */
export class SignInOver extends SignInRefused {
  override readonly name = 'SignInOver';
}
