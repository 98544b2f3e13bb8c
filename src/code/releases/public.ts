export { evidencePage } from './evidence/page.ts';
