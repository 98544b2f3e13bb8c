export { type FirstStart, firstStart } from './service.ts';
