export { includedTemplate } from './ci-workflows.ts';
