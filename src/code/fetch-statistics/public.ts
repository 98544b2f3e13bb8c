export { recordFetches } from './service.ts';
