export { languagesKnown, languagesOf } from './service.ts';
