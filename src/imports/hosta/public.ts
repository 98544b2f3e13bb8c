export { hostaClient, nextLink } from './api.ts';
