export { parseBlocks, type Token, TooMuchWork } from './parser.ts';
