export { languagesOf } from './service.ts';
