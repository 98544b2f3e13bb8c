export { acceptTerms, type Terms, termsFor } from './service.ts';
