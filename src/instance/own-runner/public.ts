export { createBuiltInRunner } from './service.ts';
