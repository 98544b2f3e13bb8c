export { largeFileProblem, pushSizeProblem } from './service.ts';
