/** The headers of a message by their small names, as they follow one another. */
export type Headers = readonly { readonly key: string; readonly value: string }[];

function valuesOf(headers: Headers, name: string): string[] {
  return headers.filter(({ key }) => key === name).map(({ value }) => value.trim().toLowerCase());
}

/**
 * Did a program write it by itself: an absence, a report that an email was not delivered, an email of our own? Such a
 * message says nothing to the forge, and is never answered, or two programs would go on for ever (RFC 3834).
 */
export function isAutomatic(headers: Headers): boolean {
  const submitted = valuesOf(headers, 'auto-submitted');
  if (submitted.some((value) => value !== '' && !/^no\b/.test(value))) return true;
  if (valuesOf(headers, 'precedence').some((value) => /^(bulk|junk|auto_reply)$/.test(value))) return true;
  if (valuesOf(headers, 'return-path').some((value) => /^<\s*>$/.test(value))) return true;
  if (valuesOf(headers, 'content-type').some((value) => value.startsWith('multipart/report'))) return true;
  return ['x-autoreply', 'x-autorespond', 'x-autoresponder'].some((name) => valuesOf(headers, name).length > 0);
}

/** What a list or a program sent on may be seen to, but whoever is named as its sender does not wait for an answer. */
export function takesNoAnswer(headers: Headers): boolean {
  if (valuesOf(headers, 'precedence').includes('list')) return true;
  return ['list-id', 'list-unsubscribe', 'x-auto-response-suppress'].some((name) => valuesOf(headers, name).length > 0);
}
