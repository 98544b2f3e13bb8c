import { fileURLToPath } from 'node:url';
import { applicationSettingsChapter } from '../src/access/application-settings/page.ts';
import { permissionsPage } from '../src/access/permissions-page.ts';
import { chapters, loadConfig } from '../src/config/config.ts';
import { settingsPage } from '../src/config/markdown.ts';
import { routesPage } from './routes-page.ts';
import { settingsWithoutEffectChapter } from './settings-without-effect.ts';

/** A page of docs/ that is generated from the code. */
export interface GeneratedPage {
  path: string;
  text: string;
}

/** All pages that `npm run docs` writes; a test compares them with the committed files. */
export function generatedPages(): GeneratedPage[] {
  return [
    page(
      'configuration.md',
      settingsPage(chapters, applicationSettingsChapter(loadConfig()), settingsWithoutEffectChapter()),
    ),
    page('permissions.md', permissionsPage()),
    page('routes.md', routesPage()),
  ];
}

function page(name: string, text: string): GeneratedPage {
  return { path: fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), text };
}
