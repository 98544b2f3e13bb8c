export { HostClient, HostError, type HostRequestOptions, RateLimited, UnreadableAnswer } from './client.ts';
export * as field from './fields.ts';
export { rateLimitOf } from './rate-limit.ts';
