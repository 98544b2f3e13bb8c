/** The headers of a message in order, with lower-case names. */
export type Headers = readonly { readonly key: string; readonly value: string }[];

function valuesOf(headers: Headers, name: string): string[] {
  return headers.filter(({ key }) => key === name).map(({ value }) => value.trim().toLowerCase());
}

/**
 * Whether a program generated the message: an out-of-office reply, a bounce, or one of our own e-mails. Such messages
 * are neither processed nor answered, to prevent mail loops (RFC 3834).
 */
export function isAutomatic(headers: Headers): boolean {
  const submitted = valuesOf(headers, 'auto-submitted');
  if (submitted.some((value) => value !== '' && !/^no\b/.test(value))) return true;
  if (valuesOf(headers, 'precedence').some((value) => /^(bulk|junk|auto_reply)$/.test(value))) return true;
  if (valuesOf(headers, 'return-path').some((value) => /^<\s*>$/.test(value))) return true;
  if (valuesOf(headers, 'content-type').some((value) => value.startsWith('multipart/report'))) return true;
  return ['x-autoreply', 'x-autorespond', 'x-autoresponder'].some((name) => valuesOf(headers, name).length > 0);
}

/**
 * Whether the sender must not get a rejection e-mail: the message comes from a mailing list or asks not to be answered.
 * It is still processed.
 */
export function suppressesRejection(headers: Headers): boolean {
  if (valuesOf(headers, 'precedence').includes('list')) return true;
  return ['list-id', 'list-unsubscribe', 'x-auto-response-suppress'].some((name) => valuesOf(headers, name).length > 0);
}
