export {
  attributesOf,
  largeFiles,
  lineBytes,
  type Making,
  noting,
  packed,
  repositoryBundle,
  uploads,
} from './archive.ts';
export { contributors, relations } from './relations/list.ts';
export type { Line } from './relations/walk.ts';
