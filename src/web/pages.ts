import { codePages } from './code/pages.ts';
import type { Page } from './frame/visit.ts';
import { homePages } from './home/pages.ts';
import { newProjectPages, placePages } from './places/pages.ts';
import { signInPages } from './sign-in/pages.ts';

/** Every page. The first whose address fits is taken: those that name a project or group come last. */
export const pages: readonly Page[] = [...signInPages, ...homePages, ...newProjectPages, ...codePages, ...placePages];
