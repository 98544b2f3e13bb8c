export { completeResponse, receiveResponse, samlMetadata } from './sign-in.ts';
