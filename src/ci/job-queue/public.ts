export { takesTags } from './matching.ts';
