export { letterId, writeLetter } from './letter.ts';
