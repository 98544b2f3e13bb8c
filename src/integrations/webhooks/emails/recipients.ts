import { isEmail } from '../../../people/users/public.ts';

/** So many addresses one integration writes to. */
export const maxRecipients = 750;

/** The addresses of a list, each once; people part them by blanks, lines, commas or semicolons. */
export function recipientsOf(list: string): string[] {
  const all = list.split(/[\s,;]+/).filter((address) => address !== '');
  return [...new Map(all.map((address) => [address.toLowerCase(), address])).values()];
}

/** What is wrong with a list of addresses, if anything. */
export function recipientsProblem(list: string): string | undefined {
  const all = recipientsOf(list);
  if (all.length > maxRecipients) return `can be ${maxRecipients} at most`;
  const wrong = all.find((address) => !isEmail(address));
  return wrong === undefined ? undefined : `has no address in ${wrong.slice(0, 100)}`;
}
