export { hasMinutesLeft } from './service.ts';
