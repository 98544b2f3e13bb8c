export { codesLeft } from '../second-factor/public.ts';
export { isResetOpen, mustWait, resetPassword } from '../users/public.ts';
export { type AccountEmail, requestAccountEmail } from './account-emails.ts';
export type { Halfway } from './halfway.ts';
export { SignInOver, SignInRefused } from './refused.ts';
export {
  finishSignIn,
  hasPassword,
  isHalfway,
  newCodes,
  type Offer,
  offerFactor,
  switchOff,
  switchOn,
} from './second-factor.ts';
export {
  type Begun,
  type Browser,
  changeOwnPassword,
  countAttempt,
  refused,
  signIn,
  signInAuthenticated,
  signOut,
} from './sign-in.ts';
export { isSignUpOpen, type SignUpForm, signUp } from './sign-up.ts';
