import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { type NewPerson, register } from '../users/public.ts';
import { SignInRefused } from './refused.ts';

/** What somebody sends to have an account. */
export interface SigningUp extends NewPerson {
  /** A field that people do not see: who fills it is a program. */
  readonly trap: string;
}

const attempts = { count: 20, period: 60_000 };

/** May people sign up by themselves? A password that does not let them in is no use to them. */
export function isSignUpOpen(settings: ApplicationSettings): boolean {
  return settings.signup_enabled && settings.password_authentication_enabled_for_web;
}

/** Makes an account for whoever asks for one; throws what is wrong with what they sent. */
export async function signUp(services: Services, { trap, ...person }: SigningUp, ip: string): Promise<void> {
  if (!isSignUpOpen(await services.settings.read())) throw new NotFound();
  if ((await services.limits.count('user_sign_up', ip, attempts)).exceeded) {
    throw new SignInRefused('Too many attempts from your address. Wait a minute, then try again.');
  }
  // It is not told that it was seen through.
  if (trap === '') await register(services, person, ip);
}
