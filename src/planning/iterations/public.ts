export { presentIterations } from './present.ts';
export { Iteration } from './schema.ts';
export { iterationsById } from './store.ts';
