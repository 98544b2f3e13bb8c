export { handedOver, takeMessage } from './receiving/take.ts';
