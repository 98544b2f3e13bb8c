export { handedOver, takeMessage } from './receiving/receive.ts';
