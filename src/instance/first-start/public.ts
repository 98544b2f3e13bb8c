export { lostData, lostDatabase, refuseLostData } from './lost-data.ts';
export { type FirstStart, firstStart } from './service.ts';
