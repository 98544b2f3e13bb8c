import { hash } from 'node:crypto';
import { Forbidden } from '../../platform/http/errors.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { InstanceSettings } from '../application-settings/source.ts';
import type { User } from '../tables.ts';

type TermsSettings = Pick<ApplicationSettings, 'enforce_terms' | 'terms'>;

/** What tells one text of the terms from another: whoever accepted one has not accepted the next. */
export const termsDigest = (terms: string): string => hash('sha256', terms);

/** The terms that people have to accept; undefined where they need not. */
export function termsInForce({ enforce_terms: enforced, terms }: TermsSettings): string | undefined {
  return enforced && terms !== null && terms.trim() !== '' ? terms : undefined;
}

/** Has somebody yet to accept the terms? Programs that are nobody's account accept nothing. */
export function mustAcceptTerms(settings: TermsSettings, user: Pick<User, 'kind' | 'accepted_terms'>): boolean {
  const terms = termsInForce(settings);
  return terms !== undefined && user.kind === 'human' && user.accepted_terms !== termsDigest(terms);
}

interface Needed {
  readonly settings: InstanceSettings;
  readonly externalUrl: string;
}

/** The refusal of whoever has yet to accept the terms: a browser can be led to them. */
export class TermsNotAccepted extends Forbidden {}

/** Why an account may not act before its owner has accepted the terms; undefined when it may. */
export async function termsRefusal({ settings, externalUrl }: Needed, user: User): Promise<string | undefined> {
  if (!mustAcceptTerms(settings.known() ?? (await settings.read()), user)) return undefined;
  return `You must accept the terms of use before you go on. Read them in a web browser at ${externalUrl}/-/users/terms`;
}
