export { makeOwnRunner } from './service.ts';
