export { recordUserAgent, UserAgentDetail, userAgentDetail } from './service.ts';
