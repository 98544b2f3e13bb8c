import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { register, type SignUpInput } from '../users/public.ts';
import { SignInRefused } from './refused.ts';

/** Sign-up form values. */
export interface SignUpForm extends SignUpInput {
  /** Honeypot: a hidden field that only bots fill in. */
  readonly trap: string;
}

const attempts = { count: 20, period: 60_000 };

/** Whether sign-up is enabled, which requires password authentication on the web. */
export function isSignUpOpen(settings: ApplicationSettings): boolean {
  return settings.signup_enabled && settings.password_authentication_enabled_for_web;
}

/** Registers an account; throws validation errors. */
export async function signUp(services: Services, { trap, ...person }: SignUpForm, ip: string): Promise<void> {
  if (!isSignUpOpen(await services.settings.read())) throw new NotFound();
  if ((await services.limits.count('user_sign_up', ip, attempts)).exceeded) {
    throw new SignInRefused('Too many attempts from your address. Wait a minute, then try again.');
  }
  // A filled-in honeypot is not reported to the bot.
  if (trap === '') await register(services, person, ip);
}
