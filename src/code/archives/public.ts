export { archivePage } from './page.ts';
