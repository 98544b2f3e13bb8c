export { codeSpans } from './code-spans.ts';
export { parseBlocks, type Token, TooMuchWork } from './parser.ts';
