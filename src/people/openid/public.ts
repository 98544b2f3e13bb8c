export { handleCallback } from './sign-in.ts';
