export { handedOver, storeMessage } from './receiving/receive.ts';
