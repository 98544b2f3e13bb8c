export { HostClient, HostError, type HostRequestOptions, RateLimited } from './client.ts';
