export { matchesTags } from './matching.ts';
