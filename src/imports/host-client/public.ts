export { HostClient, HostError, type HostRequestOptions, RateLimited } from './client.ts';
export * as field from './fields.ts';
