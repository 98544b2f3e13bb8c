import { ownAccountPages } from './account/account.ts';
import { accountPages } from './account/pages.ts';
import { ownSecondFactorPages } from './account/second-factor.ts';
import { adminPages } from './admin/pages.ts';
import { ciPages } from './ci/pages.ts';
import { codePages } from './code/pages.ts';
import { errorPages } from './errors/pages.ts';
import { lookPages } from './frame/appearance.ts';
import type { Page } from './frame/visit.ts';
import { homePages } from './home/pages.ts';
import { searchPages } from './home/search.ts';
import { importPages } from './imports/pages.ts';
import { activityPages } from './namespaces/activity.ts';
import { newProjectPages } from './namespaces/new.ts';
import { namespacePages } from './namespaces/pages.ts';
import { planningPages } from './planning/pages.ts';
import { reviewPages } from './review/pages.ts';
import { settingsPages } from './settings/pages.ts';
import { oauthPages } from './sign-in/oauth.ts';
import { signInPages } from './sign-in/pages.ts';
import { passwordPages } from './sign-in/password.ts';
import { providerPages } from './sign-in/providers.ts';
import { secondFactorPages } from './sign-in/second-factor.ts';
import { signUpPages } from './sign-in/sign-up.ts';
import { termsPages } from './sign-in/terms.ts';
import { snippetPages } from './writing/snippets.ts';
import { wikiPages } from './writing/wiki.ts';

/** All pages. The first match wins, so pages of projects and groups come last. */
export const pages: readonly Page[] = [
  ...lookPages,
  ...signInPages,
  ...signUpPages,
  ...termsPages,
  ...secondFactorPages,
  ...providerPages,
  ...passwordPages,
  ...oauthPages,
  ...homePages,
  ...searchPages,
  ...accountPages,
  ...ownSecondFactorPages,
  ...ownAccountPages,
  ...adminPages,
  ...newProjectPages,
  ...importPages,
  ...activityPages,
  ...settingsPages,
  ...wikiPages,
  ...snippetPages,
  ...planningPages,
  ...reviewPages,
  ...ciPages,
  ...errorPages,
  ...codePages,
  ...namespacePages,
];
