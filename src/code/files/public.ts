export { rawPage } from './page.ts';
