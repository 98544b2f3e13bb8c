export { type Begun, type Browser, changeOwnPassword, SignInRefused, signIn, signOut } from './sign-in.ts';
