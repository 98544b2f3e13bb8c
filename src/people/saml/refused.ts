/** A response that cannot be accepted; the message is for the log. */
export class ResponseRefused extends Error {
  override readonly name: string = 'ResponseRefused';
}

/** The provider denied the sign-in, or the user declined it there. */
export class ResponseDenied extends ResponseRefused {
  override readonly name = 'ResponseDenied';
}
