/** What other areas, and the command line, may ask of tokens. */
export { createTokenFor, type TokenInput } from './personal.ts';
