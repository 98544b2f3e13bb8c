import { hash } from 'node:crypto';
import { Forbidden } from '../../platform/http/errors.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { InstanceSettings } from '../application-settings/source.ts';
import type { User } from '../tables.ts';

type TermsSettings = Pick<ApplicationSettings, 'enforce_terms' | 'terms'>;

/** Identifies a version of the terms: accepting one does not accept the next. */
export const termsDigest = (terms: string): string => hash('sha256', terms);

/** The enforced terms of use; undefined if there are none. */
export function termsInForce({ enforce_terms: enforced, terms }: TermsSettings): string | undefined {
  return enforced && terms !== null && terms.trim() !== '' ? terms : undefined;
}

/** Whether a user has yet to accept the terms. Bots and other accounts without a person are exempt. */
export function mustAcceptTerms(settings: TermsSettings, user: Pick<User, 'kind' | 'accepted_terms'>): boolean {
  const terms = termsInForce(settings);
  return terms !== undefined && user.kind === 'human' && user.accepted_terms !== termsDigest(terms);
}

interface Dependencies {
  readonly settings: InstanceSettings;
  readonly externalUrl: string;
}

/** Thrown for users who have yet to accept the terms, so that browsers can be redirected to them. */
export class TermsNotAccepted extends Forbidden {}

/** Why an account cannot be used until its owner accepts the terms; undefined if it can. */
export async function termsRefusal({ settings, externalUrl }: Dependencies, user: User): Promise<string | undefined> {
  if (!mustAcceptTerms(settings.known() ?? (await settings.read()), user)) return undefined;
  return `You must accept the terms of use before you go on. Read them in a web browser at ${externalUrl}/-/users/terms`;
}
