import { isEmail } from '../../../people/users/public.ts';

/** Maximum number of recipients of an integration. */
export const maxRecipients = 750;

/** Splits a list at whitespace, commas and semicolons and removes duplicates. */
export function recipientsOf(list: string): string[] {
  const all = list.split(/[\s,;]+/).filter((address) => address !== '');
  return [...new Map(all.map((address) => [address.toLowerCase(), address])).values()];
}

/** Returns the validation error of a list of addresses, if any. */
export function recipientsProblem(list: string): string | undefined {
  const all = recipientsOf(list);
  if (all.length > maxRecipients) return `is too long (maximum is ${maxRecipients} addresses)`;
  const wrong = all.find((address) => !isEmail(address));
  return wrong === undefined ? undefined : `contains an invalid address: ${wrong.slice(0, 100)}`;
}
