export { findOpenKey, findSetting, findTracked } from './store.ts';
